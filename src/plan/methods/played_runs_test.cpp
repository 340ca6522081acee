#include "plan/methods/played_runs.h"

#include <gtest/gtest.h>

#include "plan/methods/memory_graph_test.h"
#include "plan/simulate/simulated_cost.h"

namespace hone {
namespace {

/// Four operations of a second each that read nothing.
Problem four_sources() {
  WorkloadBuilder builder("sources");
  builder.set_device_kinds({"unit"});
  for (int i = 0; i < 4; ++i) {
    const BufferId made = builder.add_buffer({.name = fmt::format("made{}", i), .bytes = 1});
    builder.add_operation({.name = fmt::format("work{}", i), .seconds = {1}}, {}, std::span(&made, 1));
  }
  return {.workload = std::move(builder).build(), .machine = load_machine("regal-2")};
}

TEST(PlayedRuns, AreThoseOfTheTimeline) {
  const Problem problem = random_memory_problem(1, 60, "p100-4");
  Plan plan = undecided_plan(problem);
  for (std::size_t i = 0; i < plan.device_of.size(); ++i) plan.device_of[i] = DeviceId(i % 4);
  const Timeline timeline = *SimulatedCost(problem).trace(plan);
  const Durations durations(problem);
  const PlayedRuns runs(durations, plan, timeline);
  for (std::uint32_t rank = 0; rank < timeline.runs.size(); ++rank) {
    const OperationId operation(timeline.runs[rank].group.index());
    EXPECT_EQ(runs.order()[rank], operation);
    EXPECT_EQ(runs.stay_on(operation, plan.device_of[operation.index()]).start, rank);
    EXPECT_GT(runs.stays()[operation.index()].end, rank);
  }
}

TEST(PlayedRuns, ElsewhereAnOperationRunsAsSoonAsItIsReadyUnlessMoreUrgentOnesDo) {
  const Problem problem = four_sources();
  Plan plan = undecided_plan(problem);
  plan.priority = {4, 3, 1, 2};
  plan.device_of[3] = DeviceId(1);  // as the others run one after another on the other device
  const Timeline timeline = *SimulatedCost(problem).trace(plan);
  const Durations durations(problem);
  const PlayedRuns runs(durations, plan, timeline);
  EXPECT_EQ(runs.stay_on(OperationId(3), DeviceId(0)).start, 3U);  // before the one that is less urgent
  EXPECT_EQ(runs.stay_on(OperationId(0), DeviceId(1)).start, 0U);
  EXPECT_EQ(runs.stay_on(OperationId(2), DeviceId(1)).start, 2U);  // after the more urgent one there
}

TEST(PlayedRuns, WhereDevicesWaitAnOperationKeepsItsTurn) {
  const Problem problem = four_sources();
  Plan plan = undecided_plan(problem);
  plan.priority = {4, 3, 2, 1};
  plan.device_of[1] = DeviceId(1);
  plan.waiting = Waiting::in_line;
  const Timeline timeline = *SimulatedCost(problem).trace(plan);
  const Durations durations(problem);
  const PlayedRuns runs(durations, plan, timeline);
  EXPECT_EQ(timeline.runs[runs.stay_on(OperationId(3), DeviceId(1)).start].start, 1);  // behind the one there
  EXPECT_EQ(timeline.runs[runs.stay_on(OperationId(0), DeviceId(1)).start].start, 0);
}

}  // namespace
}  // namespace hone
