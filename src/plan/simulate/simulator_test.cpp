#include "plan/simulate/simulator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/allocation_count.h"
#include "base/error.h"
#include "bench/random_problem.h"
#include "bench/simulation_oracle.h"
#include "plan/machine/machine_file.h"

namespace hone {
namespace {

/// Two devices on which an operation takes the seconds it states and a byte crosses in one second.
Machine slow_pair() {
  return parse_machine(R"(
name = "pair"
[[device]]
kind = "unit"
count = 2
memory_bytes = 100
bytes_per_second = 1
launch_seconds = 0
flops.float = 1
[[link]]
from = "*"
to = "*"
latency_seconds = 1
bytes_per_second = 1
)",
                       "test");
}

class Bench {
 public:
  Bench() : builder_("test") { builder_.set_device_kinds({"unit"}); }

  BufferId weight(double bytes) { return builder_.add_buffer({.bytes = bytes, .kind = Buffer::Kind::weight}); }
  BufferId operation(double seconds, double bytes, std::vector<BufferId> inputs) {
    const BufferId output = builder_.add_buffer({.bytes = bytes});
    builder_.add_operation({.name = "w", .seconds = {seconds}}, inputs, std::span(&output, 1));
    return output;
  }
  BufferId view(BufferId of) {
    const BufferId output = builder_.add_buffer({.bytes = 1, .alias_of = of});
    builder_.add_operation({.name = "view", .operation_class = OperationClass::view}, std::span(&of, 1),
                           std::span(&output, 1));
    return output;
  }
  Workload build() { return std::move(builder_).build(); }

 private:
  WorkloadBuilder builder_;
};

Plan place(std::initializer_list<std::size_t> devices) {
  Plan plan;
  for (const std::size_t device : devices) plan.device_of.emplace_back(device);
  return plan;
}

Timeline trace(const Workload& workload, const Machine& machine, const Plan& plan) {
  return Simulator(std::make_shared<SimulatorTables>(workload, machine)).trace(plan);
}

TEST(SimulatorTest, ChainOnOneDeviceAddsUpAndFreesBehindItself) {
  Bench bench;
  const BufferId weight = bench.weight(7);
  BufferId at = bench.operation(2, 10, {weight});
  at = bench.operation(3, 20, {at});
  bench.operation(4, 30, {at});
  const Workload workload = bench.build();
  const Timeline timeline = trace(workload, slow_pair(), place({0, 0, 0}));
  EXPECT_EQ(timeline.cost.seconds, 9);
  EXPECT_EQ(timeline.peak_bytes[0], 7 + 20 + 30);
  EXPECT_EQ(timeline.peak_bytes[1], 0);
  const std::vector<Timeline::Level> expected = {{0, 17}, {2, 37}, {5, 57}, {9, 7}};
  EXPECT_EQ(timeline.levels[0], expected);
}

TEST(SimulatorTest, TensorCrossesOncePerDestinationAndOccupiesBothSides) {
  Bench bench;
  const BufferId tensor = bench.operation(1, 4, {});
  bench.operation(2, 0, {tensor});
  bench.operation(3, 0, {tensor});
  const Workload workload = bench.build();
  const Timeline timeline = trace(workload, slow_pair(), place({0, 1, 1}));
  ASSERT_EQ(timeline.transfers.size(), 1U);
  EXPECT_EQ(timeline.transfers[0].start, 1);
  EXPECT_EQ(timeline.transfers[0].finish, 6);  // latency 1, then 4 bytes
  EXPECT_EQ(timeline.cost.seconds, 11);
  EXPECT_EQ(timeline.levels[0], (std::vector<Timeline::Level>{{0, 4}, {6, 0}}));
  EXPECT_EQ(timeline.levels[1], (std::vector<Timeline::Level>{{0, 0}, {1, 4}, {11, 0}}));
}

TEST(SimulatorTest, ReadyGroupOfHighestPriorityRunsFirstTiesByTopologicalPosition) {
  Bench bench;
  for (int i = 0; i < 3; ++i) bench.operation(1, 0, {});
  const Workload workload = bench.build();
  Plan plan = place({0, 0, 0});
  plan.priority = {0.5F, 0.5F, 0.75F};
  const Timeline timeline = trace(workload, slow_pair(), plan);
  EXPECT_EQ(timeline.runs[0].group, GroupId(2));
  EXPECT_EQ(timeline.runs[1].group, GroupId(0));
  EXPECT_EQ(timeline.runs[2].group, GroupId(1));
}

TEST(SimulatorTest, TransfersOfOneLinkQueueByPriority) {
  Bench bench;
  const BufferId first = bench.operation(1, 2, {}), second = bench.operation(1, 2, {});
  bench.operation(0, 0, {first});
  bench.operation(0, 0, {second});
  const Workload workload = bench.build();
  Machine machine = slow_pair();
  machine.kinds[0].streams = 2;
  Plan plan = place({0, 0, 1, 1});
  plan.transfer_priority.assign(workload.buffer_count() * 2, 0);
  plan.transfer_priority[second.index() * 2 + 1] = 1;
  const Timeline timeline = trace(workload, machine, plan);
  ASSERT_EQ(timeline.transfers.size(), 2U);
  EXPECT_EQ(timeline.transfers[0].buffer, second);
  EXPECT_EQ(timeline.transfers[1].buffer, first);
  EXPECT_EQ(timeline.transfers[1].start, 4);
  EXPECT_EQ(timeline.cost.seconds, 7);
}

TEST(SimulatorTest, FreeTransferArrivesBeforeTheNextGroupIsChosen) {
  Bench bench;
  const BufferId tensor = bench.operation(2, 1, {});
  bench.operation(2, 0, {});        // keeps device 1 busy until 2
  bench.operation(1, 0, {});        // ready from the start, low priority
  bench.operation(1, 0, {tensor});  // becomes ready at 2, high priority
  const Workload workload = bench.build();
  Machine machine = slow_pair();
  for (Link& link : machine.links) link = {.name = link.name};
  Plan plan = place({0, 1, 1, 1});
  plan.priority = {0, 3, 1, 2};
  const Timeline timeline = trace(workload, machine, plan);
  std::map<GroupId, double> start;
  for (const Timeline::Run& run : timeline.runs) start[run.group] = run.start;
  EXPECT_EQ(start.at(GroupId(3)), 2);
  EXPECT_EQ(start.at(GroupId(2)), 3);
}

TEST(SimulatorTest, ADeviceThatWaitsLeavesWhatIsReadyForWhatIsNextInLine) {
  Bench bench;
  const BufferId first = bench.operation(2, 1, {});
  const BufferId second = bench.operation(1, 1, {first});
  bench.operation(3, 10, {});  // ready from the start, but wanted late
  bench.operation(1, 1, {second});
  const Workload workload = bench.build();
  Plan plan = place({0, 1, 1, 0});
  plan.priority = {4, 3, 1, 2};
  const auto starts = [&] {
    std::map<GroupId, double> start;
    for (const Timeline::Run& run : trace(workload, slow_pair(), plan).runs) start[run.group] = run.start;
    return start;
  };
  EXPECT_EQ(starts().at(GroupId(2)), 0);
  plan.waiting = Waiting::in_line;
  EXPECT_EQ(starts().at(GroupId(1)), 4);  // what it reads is made in 2 and takes 2 more to arrive
  EXPECT_EQ(starts().at(GroupId(2)), 5);
  plan.priority = {1, 2, 4, 3};  // nobody stands in line before who makes what it reads
  EXPECT_EQ(starts().at(GroupId(2)), 0);
  EXPECT_EQ(starts().at(GroupId(1)), 4);
}

TEST(SimulatorTest, WhoWaitsRunsOneAfterAnother) {
  Bench bench;
  for (int i = 0; i < 3; ++i) bench.operation(1, 0, {});
  const Workload workload = bench.build();
  Machine machine = slow_pair();
  machine.kinds[0].streams = 2;
  Plan plan = place({0, 0, 0});
  EXPECT_EQ(trace(workload, machine, plan).cost.seconds, 2);
  plan.waiting = Waiting::in_line;
  EXPECT_EQ(trace(workload, machine, plan).cost.seconds, 3);
}

TEST(SimulatorTest, AliasTakesNothingAndKeepsItsRootAlive) {
  Bench bench;
  const BufferId root = bench.operation(1, 10, {});
  const BufferId alias = bench.view(root);
  const BufferId other = bench.operation(1, 1, {});
  bench.operation(1, 2, {alias, other});
  const Workload workload = bench.build();
  const Timeline timeline = trace(workload, slow_pair(), place({0, 0, 0, 0}));
  EXPECT_EQ(timeline.levels[0], (std::vector<Timeline::Level>{{0, 10}, {1, 11}, {2, 13}, {3, 0}}));
}

TEST(SimulatorTest, InternalBuffersOfAGroupTakeNothingAndItsLaunchIsPaidOnce) {
  WorkloadBuilder builder("fused");
  const BufferId input = builder.add_buffer({.bytes = 10, .kind = Buffer::Kind::input});
  const BufferId middle = builder.add_buffer({.bytes = 10});
  const BufferId output = builder.add_buffer({.bytes = 10, .is_output = true});
  const Operation operation{.name = "add", .operation_class = OperationClass::pointwise, .flops = 5, .bytes = 20};
  builder.add_operation(operation, std::span(&input, 1), std::span(&middle, 1));
  builder.add_operation(operation, std::span(&middle, 1), std::span(&output, 1));
  const Workload workload = std::move(builder).build();
  Machine machine = slow_pair();
  machine.kinds[0].launch_seconds = 3;
  const Timeline apart = trace(workload, machine, place({0, 0}));
  EXPECT_EQ(apart.cost.seconds, 2 * (20 + 3));
  EXPECT_EQ(apart.cost.peak_bytes, 30);
  Plan fused = place({0});
  fused.group_of = {GroupId(0), GroupId(0)};
  const Timeline together = trace(workload, machine, fused);
  EXPECT_EQ(together.cost.seconds, 20 + 3);  // reads the input, writes the output
  EXPECT_EQ(together.cost.peak_bytes, 20);
}

/// A producer and two readers; all may be computed point by point.
Workload shared_producer(double flops) {
  WorkloadBuilder builder("shared");
  const BufferId input = builder.add_buffer({.bytes = 10, .kind = Buffer::Kind::input});
  const BufferId middle = builder.add_buffer({.bytes = 10});
  const Loop loop{.kind = Loop::Kind::map, .points = 10, .rows = 10, .results = 10, .reads = {Access::same}};
  const Operation operation{
      .name = "add", .operation_class = OperationClass::pointwise, .flops = flops, .bytes = 20, .loop = loop};
  builder.add_operation(operation, std::span(&input, 1), std::span(&middle, 1));
  for (int i = 0; i < 2; ++i) {
    const BufferId output = builder.add_buffer({.bytes = 10, .is_output = true});
    builder.add_operation(operation, std::span(&middle, 1), std::span(&output, 1));
  }
  return std::move(builder).build();
}

TEST(SimulatorTest, CopyIsComputedOnceMoreAndNothingIsStoredThatEveryReaderMakes) {
  const Workload workload = shared_producer(12);
  Plan plan = place({0, 1});
  plan.group_of = {GroupId(0), GroupId(0), GroupId(1)};
  const Timeline moved = trace(workload, slow_pair(), plan);
  EXPECT_EQ(moved.transfers.size(), 1U);
  plan.copies = {{OperationId(0), GroupId(1)}};
  const Timeline copied = trace(workload, slow_pair(), plan);
  EXPECT_TRUE(copied.transfers.empty());
  EXPECT_EQ(copied.cost.seconds, 24);  // both devices compute both results of their group, at once
  EXPECT_EQ(copied.peak_bytes, (std::vector<double>{20, 20}));  // the input and a result
}

TEST(SimulatorTest, MemoryAboveCapacityIsInfeasibleByItsAmount) {
  Bench bench;
  bench.operation(1, 130, {});
  const Workload workload = bench.build();
  const Timeline timeline = trace(workload, slow_pair(), place({1}));
  EXPECT_EQ(timeline.cost.obstacle, Obstacle::memory);
  EXPECT_EQ(timeline.cost.overflow_bytes, 30);
}

TEST(SimulatorTest, GroupsThatWaitForOneAnotherAndUnknownDevicesAreInfeasible) {
  Bench bench;
  BufferId at = bench.operation(1, 1, {});
  at = bench.operation(1, 1, {at});
  bench.operation(1, 1, {at});
  const Workload workload = bench.build();
  Plan plan = place({0, 0});
  plan.group_of = {GroupId(0), GroupId(1), GroupId(0)};
  EXPECT_EQ(trace(workload, slow_pair(), plan).cost.obstacle, Obstacle::cycle);
  EXPECT_EQ(trace(workload, slow_pair(), place({0, 0, 2})).cost.obstacle, Obstacle::device);
}

TEST(SimulatorTest, EvaluatingAllocatesNothing) {
  const Workload workload = layered_training_workload(2000, 5);
  const Machine machine = load_machine("p100-8");
  Simulator simulator(std::make_shared<SimulatorTables>(workload, machine));
  Rng rng(1);
  std::vector<Plan> plans;
  for (int i = 0; i < 10; ++i) plans.push_back(random_plan(rng, workload, machine));
  for (const Plan& plan : plans) simulator.evaluate(plan);  // what groups need grows with the largest
  const std::uint64_t before = allocation_count();
  for (const Plan& plan : plans) simulator.evaluate(plan);
  EXPECT_EQ(allocation_count(), before);
}

void expect_conserved(const Timeline& timeline, const Machine& machine) {
  std::map<std::pair<DeviceId, std::uint32_t>, std::vector<Timeline::Run>> by_stream;
  for (const Timeline::Run& run : timeline.runs) by_stream[{run.device, run.stream}].push_back(run);
  for (const auto& [stream, runs] : by_stream) {
    EXPECT_LT(stream.second, machine.kind(stream.first).streams);
    double at = 0, busy = 0, idle = 0;
    for (const Timeline::Run& run : runs) {
      EXPECT_GE(run.start, at) << "a stream runs one group at a time";
      idle += run.start - at;
      busy += run.finish - run.start;
      at = run.finish;
    }
    idle += timeline.cost.seconds - at;
    EXPECT_NEAR(busy + idle, timeline.cost.seconds, 1e-9 * (1 + timeline.cost.seconds));
  }
}

void expect_equal_to_oracle(std::uint64_t problems) {
  std::map<Obstacle, std::size_t> seen;
  std::size_t with_copies = 0, waiting = 0;  // and carried out
  for (std::uint64_t seed = 0; seed < problems; ++seed) {
    Rng rng(seed);
    const Workload workload = random_workload(rng, 1 + rng.below(24));
    const Machine machine = random_machine(rng);
    std::shared_ptr<SimulatorTables> tables;
    try {
      tables = std::make_shared<SimulatorTables>(workload, machine);
    } catch (const InputError&) {
      continue;  // an operation that no device runs
    }
    Simulator simulator(tables);
    for (int repeat = 0; repeat < 2; ++repeat) {
      const Plan plan = random_plan(rng, workload, machine);
      const Timeline expected = simulate_slowly(workload, machine, plan);
      const Cost cost = simulator.evaluate(plan);
      ASSERT_EQ(cost, expected.cost) << "seed " << seed << ": " << cost.seconds << " s, not " << expected.cost.seconds;
      const Timeline timeline = simulator.trace(plan);
      ASSERT_EQ(timeline.runs, expected.runs) << "seed " << seed;
      ASSERT_EQ(timeline.transfers, expected.transfers) << "seed " << seed;
      ASSERT_EQ(timeline.peak_bytes, expected.peak_bytes) << "seed " << seed;
      if (cost.obstacle != Obstacle::device) {
        ASSERT_EQ(timeline.levels, expected.levels) << "seed " << seed;
      }
      if (std::isfinite(cost.seconds)) expect_conserved(timeline, machine);
      ++seen[cost.obstacle];
      with_copies += plan.copies.empty() || !std::isfinite(cost.seconds) ? 0 : 1;
      waiting += plan.waiting == Waiting::never || !std::isfinite(cost.seconds) ? 0 : 1;
    }
  }
  EXPECT_GT(with_copies, problems / 8) << "the random problems should have copies";
  EXPECT_GT(waiting, problems / 8) << "devices should wait in some plans";
  for (const Obstacle kind : {Obstacle::none, Obstacle::memory, Obstacle::device, Obstacle::cycle})
    EXPECT_GT(seen[kind], 0U) << "the random problems should meet every outcome";
}

TEST(SimulatorTest, EqualsTheOracleOnRandomProblems) { expect_equal_to_oracle(2000); }

}  // namespace
}  // namespace hone
