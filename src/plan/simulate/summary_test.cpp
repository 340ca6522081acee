#include "plan/simulate/summary.h"

#include <gtest/gtest.h>

#include "bench/random_problem.h"
#include "plan/machine/machine_file.h"
#include "plan/simulate/simulator.h"

namespace hone {
namespace {

TEST(SummaryTest, BusyAndIdleFillTheMakespanAndTheCriticalPathExplainsIt) {
  const Workload workload = layered_training_workload(500, 2);
  const Machine machine = load_machine("p100-4");
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    Plan plan;
    for (std::size_t i = 0; i < workload.operation_count(); ++i) {
      plan.device_of.emplace_back(rng.below(4));
      plan.priority.push_back(static_cast<float>(rng.uniform()));
    }
    const Timeline timeline = Simulator(std::make_shared<SimulatorTables>(workload, machine)).trace(plan);
    std::size_t groups = 0;
    for (const DeviceSummary& device : summarize(machine, timeline)) {
      EXPECT_GE(device.idle_seconds, -1e-12);
      EXPECT_NEAR(device.busy_seconds + device.idle_seconds, timeline.cost.seconds, 1e-9);
      groups += device.groups;
    }
    EXPECT_EQ(groups, workload.operation_count());
    const std::vector<CriticalStep> path = critical_path(workload, plan, timeline);
    double total = 0, shares = 0;
    for (const CriticalStep& step : path) {
      EXPECT_GE(step.waited_seconds, 0);
      total += step.waited_seconds + step.seconds;
    }
    EXPECT_NEAR(total, timeline.cost.seconds, 1e-9) << "steps and waits leave no gap";
    for (const CriticalShare& share : critical_shares(workload, plan, path)) shares += share.seconds;
    EXPECT_NEAR(shares, total, 1e-9);
  }
}

TEST(SummaryTest, GroupsOnTheCriticalPathCountByWhatTheyContain) {
  WorkloadBuilder builder("chain");
  BufferId last = builder.add_buffer({.name = "x", .bytes = 4, .kind = Buffer::Kind::input});
  for (const char* op : {"Exp", "Neg", "Exp", "Neg", "Abs"}) {
    const BufferId output = builder.add_buffer({.name = "made", .bytes = 4});
    builder.add_operation({.name = op, .op = op, .flops = 1, .bytes = 8}, std::span(&last, 1), std::span(&output, 1));
    last = output;
  }
  const Workload workload = std::move(builder).build();
  const Plan plan{.group_of = {GroupId(0), GroupId(0), GroupId(1), GroupId(1), GroupId(2)},
                  .device_of = std::vector<DeviceId>(3, DeviceId(0))};
  const Timeline timeline = Simulator(std::make_shared<SimulatorTables>(workload, load_machine("p100-4"))).trace(plan);
  const std::vector<CriticalShare> shares = critical_shares(workload, plan, critical_path(workload, plan, timeline));
  ASSERT_EQ(shares.size(), 2U);
  EXPECT_EQ(shares[0].op, "Exp+Neg");
  EXPECT_EQ(shares[0].groups, 2U);
  EXPECT_EQ(shares[1].op, "Abs");
}

}  // namespace
}  // namespace hone
