// What the list heuristics do on problems small enough to know the answer, and how near they come to it on others.

#include "plan/methods/list_heuristic.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "bench/random_problem.h"
#include "bench/simulation_oracle.h"
#include "plan/machine/machine_file.h"
#include "plan/methods/chain_problem_test.h"
#include "plan/methods/random_tasks_test.h"

namespace hone {
namespace {

constexpr std::array<std::string_view, 5> kHeuristics = {"critical-path", "heft", "m-etf", "most-work-remaining",
                                                         "shortest-first"};

TEST(ListSearch, FindsTheOptimumOfTinyTaskSets) {
  Rng rng(4);
  for (int round = 0; round < 12; ++round) {
    const Problem problem{.workload = random_tasks(rng, round % 2 == 0 ? 6 : 5),
                          .machine = load_machine(round % 2 == 0 ? "processors:2" : "processors:3"),
                          .objective = Objective::seconds};
    const Solution solution = solve(problem, "list-search", 300);
    EXPECT_EQ(solution.cost.seconds, least_makespan(problem));
    EXPECT_LE(solution.bound, solution.cost.seconds);
  }
}

TEST(ListSearch, EndsWhenItMeetsTheBound) {
  Rng rng(9);
  const Problem problem{
      .workload = random_tasks(rng, 40), .machine = load_machine("processors:16"), .objective = Objective::seconds};
  const Solution solution = solve(problem, "list-search", 100'000);
  EXPECT_TRUE(solution.optimal());
  EXPECT_LT(solution.evaluations, 1000U);
}

TEST(ListSearch, IsNoWorseThanTheHeuristicsItStartsFrom) {
  for (const char* machine : {"p100-4", "regal-2", "cpu-gpu"}) {
    const Problem problem{.workload = layered_training_workload(120, 3), .machine = load_machine(machine)};
    EXPECT_LE(solve(problem, "list-search", 200).score, solve(problem, "heft").score) << machine;
  }
}

/// Eight operations of which any two fill a device: first all, then an operation that reads them all.
Problem crowded_problem() {
  WorkloadBuilder builder("crowded");
  std::vector<BufferId> made;
  for (int i = 0; i < 8; ++i) {
    made.push_back(
        builder.add_buffer({.name = fmt::format("weight{}", i), .bytes = 7e9, .kind = Buffer::Kind::weight}));
    const BufferId output = builder.add_buffer({.name = fmt::format("out{}", i), .bytes = 1e6, .is_output = true});
    builder.add_operation({.name = fmt::format("work{}", i), .op = "MatMul", .flops = 1e9 * (i == 0 ? 50 : 1)},
                          std::span(&made.back(), 1), std::span(&output, 1));
  }
  return {.workload = std::move(builder).build(), .machine = load_machine("p100-4")};
}

TEST(ListHeuristic, AvoidsDevicesWithoutRoom) {
  const Problem problem = crowded_problem();
  for (const std::string_view name : kHeuristics) EXPECT_TRUE(solve(problem, name).cost.feasible()) << name;
}

/// A long operation and short ones that do not depend on it: the long one has the accelerator, the rest spreads.
TEST(ListHeuristic, UsesUnequalDevicesByWhatTheyDoWell) {
  WorkloadBuilder builder("unequal");
  builder.set_device_kinds({"fast", "slow"});
  for (int i = 0; i < 6; ++i) {
    const BufferId output = builder.add_buffer({.name = fmt::format("out{}", i), .transfer_seconds = 0});
    builder.add_operation(
        {.name = fmt::format("work{}", i), .op = "task", .seconds = {i == 0 ? 6.0 : 1.0, i == 0 ? 60.0 : 2.0}}, {},
        std::span(&output, 1));
  }
  Problem problem{.workload = std::move(builder).build(), .machine = {}, .objective = Objective::seconds};
  problem.machine = load_machine("processors:2");
  problem.machine.kinds = {problem.machine.kinds[0], problem.machine.kinds[0]};
  problem.machine.kinds[0].name = "fast";
  problem.machine.kinds[1].name = "slow";
  problem.machine.devices[1].kind = 1;
  // The best: 6 and two short ones on the fast device, three on the slow one.
  EXPECT_EQ(solve(problem, "heft").cost.seconds, 8);
  EXPECT_EQ(solve(problem, "critical-path").cost.seconds, 8);
  EXPECT_LE(solve(problem, "m-etf").cost.seconds, 10);
}

/// What the schedule says is what happens, where nothing but its own order decides.
TEST(PartialSchedule, AgreesWithTheSimulatorOnChains) {
  const Problem problem = chain_problem();
  const Durations durations(problem);
  PartialSchedule schedule(durations, PartialSchedule::Gaps::filled, {});
  for (std::size_t i = 0; i < 5; ++i) schedule.place(OperationId(i), schedule.slot_on(OperationId(i), DeviceId(i % 2)));
  const Plan plan = schedule.apply_to(undecided_plan(problem));
  const Timeline timeline = simulate_slowly(problem.workload, problem.machine, plan);
  EXPECT_DOUBLE_EQ(timeline.cost.seconds, schedule.finish(OperationId(4)));
  EXPECT_EQ(timeline.transfers.size(), 4U);
}

}  // namespace
}  // namespace hone
