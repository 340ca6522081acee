#include "plan/fuse/explain_fusion.h"

#include <gtest/gtest.h>

#include "plan/fuse/check_fusion.h"
#include "plan/fuse/loop_graph_test.h"
#include "plan/fuse/random_loops_test.h"
#include "plan/fuse/regroup.h"
#include "plan/problem/grouped_plan_test.h"
#include "plan/search/task.h"

namespace hone {
namespace {

using Way = FusionChange::Way;

FusionExplanation explained(const Problem& problem, const Plan& plan, std::size_t one, std::size_t other) {
  EXPECT_EQ(check_fusion(problem, plan), std::nullopt);
  return explain_fusion(problem, plan, OperationId(one), OperationId(other));
}

void expect_refused_change(const FusionChange& change, Way way, Refusal refusal, std::size_t culprit) {
  EXPECT_EQ(change.way, way);
  EXPECT_EQ(change.refusal, refusal) << text_of(change.refusal);
  EXPECT_EQ(change.culprit, OperationId(culprit));
}

/// Two maps of 8 points in a row: 64 bytes each, of which 32 are between them.
Problem pair_of_maps() {
  LoopGraph graph;
  graph.map(8, {{}});
  graph.map(8, {{0}});
  return std::move(graph).build();
}

TEST(ExplainFusion, OfASharedKernelItSaysWhatIsSaved) {
  const Problem problem = pair_of_maps();
  const FusionExplanation found = explained(problem, with_groups({0, 0}), 0, 1);
  ASSERT_EQ(found.shared.size(), 1U);
  const SharedKernel& kernel = found.shared[0];
  EXPECT_FALSE(kernel.has_copy_of_first || kernel.has_copy_of_second);
  EXPECT_EQ(kernel.kept_bytes, 32);
  EXPECT_NEAR(kernel.seconds, 0.074, 1e-9);
  EXPECT_NEAR(kernel.seconds_apart, 0.148, 1e-9);
  EXPECT_TRUE(found.changes.empty());
}

TEST(ExplainFusion, WhatIsComputedOnceMoreIsTogetherThere) {
  LoopGraph graph;
  graph.map(8, {{}});
  graph.map(8, {{0}});
  graph.map(8, {{0}});
  const Problem problem = std::move(graph).build();
  const FusionExplanation found = explained(problem, with_groups({0, 0, 1}, {{OperationId(0), GroupId(1)}}), 2, 0);
  EXPECT_EQ(found.first, OperationId(0));  // what is read comes first
  ASSERT_EQ(found.shared.size(), 1U);
  EXPECT_EQ(found.shared[0].group, GroupId(1));
  EXPECT_TRUE(found.shared[0].has_copy_of_first);
  EXPECT_FALSE(found.shared[0].has_copy_of_second);
}

TEST(ExplainFusion, WhatMayBeTogetherCostsSomething) {
  const Problem problem = pair_of_maps();
  const FusionExplanation found = explained(problem, with_groups({0, 1}), 0, 1);
  EXPECT_TRUE(found.shared.empty());
  ASSERT_EQ(found.changes.size(), 2U);
  for (const FusionChange& change : found.changes) {
    EXPECT_EQ(change.refusal, Refusal::none);
    EXPECT_EQ(change.kernels_now, 2U);
    EXPECT_EQ(change.kernels_then, 1U);
    EXPECT_NEAR(change.seconds_now, 0.148, 1e-9);
    EXPECT_NEAR(change.seconds_then, 0.074, 1e-9);
    EXPECT_EQ(change.times_computed, 1U);
  }
}

TEST(ExplainFusion, WhatIsComputedSeveralTimesMayBeSlower) {
  LoopGraph graph;
  graph.flops_of_point = 1000;
  graph.map(8, {{}});
  graph.flops_of_point = 0;
  graph.map(8, {{0}});
  graph.map(8, {{0}});
  const FusionExplanation found = explained(std::move(graph).build(), with_groups({0, 1, 2}), 0, 2);
  ASSERT_EQ(found.changes.size(), 2U);
  EXPECT_EQ(found.changes[1].way, Way::inlined);
  EXPECT_EQ(found.changes[1].refusal, Refusal::none);
  EXPECT_EQ(found.changes[1].times_computed, 2U);
  EXPECT_EQ(found.changes[1].kernels_now, 3U);
  EXPECT_EQ(found.changes[1].kernels_then, 2U);
  EXPECT_GT(found.changes[1].seconds_then, found.changes[1].seconds_now);
}

TEST(ExplainFusion, WhatMustNotBeHasAReason) {
  LoopGraph graph;
  graph.sum(32, 4, {{}});
  graph.map(32, {{0, Access::other}});
  graph.map(32, {{}});
  const FusionExplanation found = explained(std::move(graph).build(), with_groups({0, 1, 2}), 0, 1);
  ASSERT_EQ(found.changes.size(), 2U);
  expect_refused_change(found.changes[0], Way::merged, Refusal::misaligned, 0);
  expect_refused_change(found.changes[1], Way::inlined, Refusal::misaligned, 0);
}

TEST(ExplainFusion, ResultsAreMergedButNotInlined) {
  LoopGraph graph;
  graph.is_result = true;
  graph.map(8, {{}});
  graph.map(8, {{0}});
  const FusionExplanation found = explained(std::move(graph).build(), with_groups({0, 1}), 0, 1);
  ASSERT_EQ(found.changes.size(), 2U);
  EXPECT_EQ(found.changes[0].refusal, Refusal::none);
  expect_refused_change(found.changes[1], Way::inlined, Refusal::result, 0);
}

TEST(ExplainFusion, WhoeverWouldWaitForTheKernelIsNamed) {
  LoopGraph graph;
  graph.map(8, {{}});
  graph.add(Loop::Kind::none, 0, 0, 0, {{0}});
  graph.map(8, {{0}, {1, Access::other}});
  const FusionExplanation found = explained(std::move(graph).build(), with_groups({0, 1, 2}), 0, 2);
  ASSERT_EQ(found.changes.size(), 2U);
  expect_refused_change(found.changes[0], Way::merged, Refusal::cycle, 0);
  EXPECT_EQ(found.changes[0].between, OperationId(1));
  expect_refused_change(found.changes[1], Way::inlined, Refusal::no_loop, 0);
}

TEST(ExplainFusion, AnotherOperationOfTheKernelMayBeTheReason) {
  LoopGraph graph;
  graph.product(32, {{-1, Access::other}});
  graph.map(32, {{0}});
  graph.product(32, {{1, Access::other}});
  const FusionExplanation found = explained(std::move(graph).build(), with_groups({0, 0, 1}), 1, 2);
  ASSERT_EQ(found.changes.size(), 2U);
  EXPECT_NE(found.changes[0].refusal, Refusal::none);
  EXPECT_EQ(found.changes[0].culprit, OperationId(0));
  EXPECT_EQ(found.changes[1].refusal, Refusal::none);  // the map alone may be computed by the second product
}

TEST(ExplainFusion, OfThoseFarApartTheBorderOfTheKernelIsExplained) {
  LoopGraph graph;
  graph.map(8, {{}});
  graph.map(8, {{0}});
  graph.map(8, {{1}});
  graph.map(8, {{2}});
  const FusionExplanation found = explained(std::move(graph).build(), with_groups({0, 0, 1, 1}), 0, 3);
  EXPECT_EQ(found.way, (std::vector{OperationId(0), OperationId(1), OperationId(2), OperationId(3)}));
  EXPECT_EQ(found.producer, OperationId(1));
  EXPECT_EQ(found.reader, OperationId(2));
}

TEST(ExplainFusion, NothingIsMergedWithWhatRunsSeveralTimes) {
  LoopGraph graph;
  graph.map(8, {{}});
  graph.map(8, {{0}});
  graph.map(8, {{1}});
  graph.map(8, {{1}});
  const Plan plan = with_groups({0, 1, 1, 2}, {{OperationId(1), GroupId(2)}});
  const FusionExplanation found = explained(std::move(graph).build(), plan, 0, 3);
  EXPECT_EQ(found.reader, OperationId(1));
  ASSERT_EQ(found.changes.size(), 1U);
  EXPECT_EQ(found.changes[0].way, Way::inlined);
  EXPECT_EQ(found.changes[0].times_computed, 2U);
}

TEST(ExplainFusion, OperationsThatDoNotNeedOneAnotherHaveNoWay) {
  LoopGraph graph;
  graph.map(8, {{}});
  graph.map(8, {{}});
  const FusionExplanation found = explained(std::move(graph).build(), with_groups({0, 1}), 0, 1);
  EXPECT_TRUE(found.way.empty() && found.shared.empty() && found.changes.empty());
}

TEST(ExplainFusion, AcrossDevicesThereIsNothingToTry) {
  Problem problem = pair_of_maps();
  problem.machine.devices.push_back({"device:1", 0});
  Plan plan = with_groups({0, 1});
  plan.device_of[1] = DeviceId(1);
  const FusionExplanation found = explained(problem, plan, 0, 1);
  EXPECT_EQ(found.producer, OperationId(0));
  EXPECT_TRUE(found.changes.empty());
}

TEST(ExplainFusion, EveryChangeHasAReasonOrIsLegalAndHasACost) {
  std::size_t legal = 0, refused = 0;
  for (std::size_t graph = 0; graph < 1000; ++graph) {
    Rng rng(graph);
    const Problem problem = random_loops(rng, 4 + rng.below(12));
    Plan plan = undecided_plan(problem);
    const std::unique_ptr<Task> task = make_task(problem, "fuse-edges", plan);
    Decisions keys(task->sites().size());
    for (float& key : keys) key = static_cast<float>(rng.below(1 << 24)) * 0x1.0p-24F;
    task->apply(keys, plan);
    if (plan.group_of.empty()) continue;
    for (std::size_t other = 1; other < problem.workload.operation_count(); ++other)
      for (const FusionChange& change : explained(problem, plan, 0, other).changes) {
        EXPECT_EQ(change.refusal == Refusal::none, change.kernels_then > 0) << "graph " << graph;
        ++(change.refusal == Refusal::none ? legal : refused);
        if (change.refusal != Refusal::none || change.way != Way::merged) continue;
        const FusionExplanation found = explain_fusion(problem, plan, OperationId(0), OperationId(other));
        const Plan one = with_one_group(plan, plan.group(found.second), plan.group(found.producer));
        EXPECT_EQ(check_fusion(problem, one), std::nullopt) << "graph " << graph;
      }
  }
  EXPECT_GT(legal, 300U);
  EXPECT_GT(refused, 300U);
}

}  // namespace
}  // namespace hone
