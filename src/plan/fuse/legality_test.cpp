#include <gtest/gtest.h>

#include <string>

#include "plan/fuse/check_fusion.h"
#include "plan/fuse/group_forest.h"
#include "plan/fuse/inliner.h"
#include "plan/fuse/loop_graph_test.h"

namespace hone {
namespace {

using enum Access;
using Kind = Loop::Kind;

using Graph = LoopGraph;

/// Why the readers of an operation do not compute it when everything is to be fused; the checker must agree.
Refusal inlining(const Problem& problem, int operation) {
  const FusionGraph graph(problem);
  GroupForest forest(graph);
  Inliner inliner(graph);
  inliner.inline_into(forest, std::vector<std::uint8_t>(graph.size(), 1));
  return inliner.refusal(static_cast<std::uint32_t>(operation));
}

Refusal merging(const Problem& problem, int producer, int reader) {
  const FusionGraph graph(problem);
  return GroupForest(graph).merge(static_cast<std::uint32_t>(producer), static_cast<std::uint32_t>(reader));
}

/// What the checker says of all operations in one group.
std::string all_in_one(const Problem& problem) {
  Plan plan{.group_of = std::vector<GroupId>(problem.workload.operation_count(), GroupId(0)),
            .device_of = {DeviceId(0)}};
  return check_fusion(problem, plan).value_or("legal");
}

void expect_refused(const Problem& problem, Refusal refusal, std::string_view sentence) {
  EXPECT_EQ(inlining(problem, 0), refusal) << text_of(inlining(problem, 0));
  EXPECT_NE(all_in_one(problem).find(sentence), std::string::npos) << all_in_one(problem);
}

TEST(Legality, PointwiseChainsAndSoftmaxAreOneKernel) {
  Graph graph;
  const int input = graph.map(32, {{}});
  const int most = graph.sum(32, 4, {{input}});
  const int less = graph.map(32, {{input}, {most, row}});
  const int total = graph.sum(32, 4, {{less}});
  graph.map(32, {{less}, {total, row}});
  const Problem problem = std::move(graph).build();
  for (int operation = 0; operation < 4; ++operation) EXPECT_EQ(inlining(problem, operation), Refusal::none);
  EXPECT_EQ(all_in_one(problem), "legal");
  EXPECT_EQ(merging(problem, input, less), Refusal::cycle);
  EXPECT_EQ(merging(problem, less, 4), Refusal::cycle);
  EXPECT_EQ(merging(problem, input, most), Refusal::none);
}

TEST(Legality, WhatHasNoLoopStaysAlone) {
  Graph graph;
  graph.add(Kind::none, 0, 0, 0, {{}});
  graph.map(8, {{0}});
  expect_refused(std::move(graph).build(), Refusal::no_loop, "is not computed point by point");
}

TEST(Legality, ReaderWithoutLoopComputesNothing) {
  Graph graph;
  graph.map(8, {{}});
  graph.add(Kind::none, 0, 0, 0, {{0}});
  expect_refused(std::move(graph).build(), Refusal::no_loop, "is not computed point by point");
}

TEST(Legality, ColumnsAreKnownAfterTheLoop) {
  Graph graph;
  graph.add(Kind::columns, 32, 8, 8, {{}});
  graph.map(8, {{0}});
  const Problem problem = std::move(graph).build();
  expect_refused(problem, Refusal::columns_inside, "reduces columns");
  EXPECT_EQ(merging(problem, 0, 1), Refusal::columns_inside);
}

TEST(Legality, RowsMustBeReadInStep) {
  Graph graph;
  graph.sum(32, 4, {{}});
  graph.map(32, {{0, other}});
  const Problem problem = std::move(graph).build();
  expect_refused(problem, Refusal::misaligned, "read at other places");
  EXPECT_EQ(merging(problem, 0, 1), Refusal::misaligned);
}

TEST(Legality, RowsMustBeReadInStepOnTheWholeWay) {
  Graph graph;
  graph.sum(32, 4, {{}});
  const int between = graph.map(4, {{0}});
  graph.map(7, {{between, other}});
  expect_refused(std::move(graph).build(), Refusal::misaligned, "read at other places");
}

TEST(Legality, RowsOfOneKernelAreTheSame) {
  Graph graph;
  graph.sum(32, 8, {{}});
  const int wide = graph.map(32, {{0, row}});
  graph.sum(32, 4, {{wide}});
  expect_refused(std::move(graph).build(), Refusal::other_loop, "has rows of its own");
}

TEST(Legality, OneContractionAKernel) {
  Graph graph;
  graph.product(32, {{-1, other}});
  const int sum = graph.map(32, {{0}});
  const int second = graph.product(32, {{-1, other}});
  graph.map(32, {{sum}, {second}});
  const Problem problem = std::move(graph).build();
  expect_refused(problem, Refusal::two_contractions, "second contraction");
}

TEST(Legality, ContractionWithPrologueAndEpilogueIsOneKernel) {
  Graph graph;
  const int before = graph.map(64, {{}});
  const int product = graph.product(32, {{before, other}});
  graph.map(32, {{product}});
  const Problem problem = std::move(graph).build();
  EXPECT_EQ(inlining(problem, before), Refusal::none);
  EXPECT_EQ(inlining(problem, product), Refusal::none);
  EXPECT_EQ(all_in_one(problem), "legal");
}

TEST(Legality, NoContractionBesideReductions) {
  Graph graph;
  graph.product(32, {{-1, other}});
  graph.sum(32, 4, {{0}});
  const Problem problem = std::move(graph).build();
  expect_refused(problem, Refusal::contraction_and_reduction, "contracts beside a reduction");
  EXPECT_EQ(merging(problem, 0, 1), Refusal::contraction_and_reduction);
}

TEST(Legality, ContractionsAreNotRepeated) {
  Graph graph;
  graph.product(32, {{-1, other}});
  graph.map(32, {{0}});
  graph.map(32, {{0}});
  const Problem problem = std::move(graph).build();
  EXPECT_EQ(inlining(problem, 0), Refusal::contraction_twice);
  const Plan plan{.group_of = {GroupId(0), GroupId(0), GroupId(1)},
                  .copies = {{OperationId(0), GroupId(1)}},
                  .device_of = {DeviceId(0), DeviceId(0)}};
  EXPECT_NE(check_fusion(problem, plan).value_or("").find("contracts once more"), std::string::npos);
}

TEST(Legality, RowsGoneThroughTwiceMustFitIntoScratchMemory) {
  const auto softmax_like = [](double scratch_bytes) {
    Graph graph;
    graph.sum(32, 4, {{}});
    graph.map(32, {{0, row}});
    return std::move(graph).build(scratch_bytes);
  };
  expect_refused(softmax_like(31), Refusal::scratch, "do not fit into scratch memory");
  EXPECT_EQ(inlining(softmax_like(32), 0), Refusal::none);
  EXPECT_EQ(all_in_one(softmax_like(32)), "legal");
}

TEST(Legality, ColocatedOperationsJoinTheirLikeOnly) {
  Graph graph;
  graph.colocate = 1;
  graph.map(8, {{}});
  graph.colocate = 0;
  graph.map(8, {{0}});
  expect_refused(std::move(graph).build(), Refusal::device, "must be on the device of operations outside");
}

TEST(Legality, KernelsHaveLimits) {
  const FusionLimits limits;
  Graph chain;
  for (std::uint32_t i = 0; i <= limits.operations; ++i) chain.map(8, {{static_cast<int>(i) - 1}});
  expect_refused(std::move(chain).build(), Refusal::too_many_operations, "operations, at most");
  Graph reads;
  int last = reads.map(8, {{}, {}, {}});
  for (std::uint32_t i = 1; i < limits.reads / 2; ++i) last = reads.map(8, {{last}, {}, {}});
  expect_refused(std::move(reads).build(), Refusal::too_many_reads, "times from outside");
  Graph fan;
  fan.map(8, {{}});
  for (std::uint32_t i = 0; i <= limits.kernels; ++i) fan.map(8, {{0}});
  EXPECT_EQ(inlining(std::move(fan).build(), 0), Refusal::too_many_kernels);
}

TEST(Legality, SeveralReadersComputeACopyEach) {
  Graph graph;
  graph.map(8, {{}});
  graph.map(8, {{0}});
  graph.map(16, {{0, other}});
  const Problem problem = std::move(graph).build();
  const FusionGraph fusion(problem);
  GroupForest forest(fusion);
  Inliner inliner(fusion);
  inliner.inline_into(forest, std::vector<std::uint8_t>{1, 0, 0});
  EXPECT_EQ(inliner.grouping().group_of, (std::vector<std::uint32_t>{1, 1, 2}));
  ASSERT_EQ(inliner.grouping().copies.size(), 1U);
  EXPECT_EQ(inliner.grouping().copies[0].group, 2U);
}

TEST(Legality, SeveralResultsLeaveAMergedKernel) {
  Graph graph;
  graph.map(8, {{}});
  graph.map(8, {{0}});
  graph.map(8, {{0}});
  const Problem problem = std::move(graph).build();
  const FusionGraph fusion(problem);
  GroupForest forest(fusion);
  EXPECT_EQ(forest.merge(0, 1), Refusal::none);
  EXPECT_EQ(forest.merge(0, 2), Refusal::none);
  EXPECT_EQ(forest.find(1), forest.find(2));
  EXPECT_EQ(all_in_one(problem), "legal");
}

TEST(Legality, WhatIsStoredHasTheKernelsPointsOrRows) {
  Graph graph;
  const int small = graph.map(4, {{}});
  const int large = graph.map(32, {{small, row}});
  graph.sum(32, 8, {{large}});
  const Problem problem = std::move(graph).build();
  const Plan plan{.group_of = {GroupId(0), GroupId(0), GroupId(1)}, .device_of = {DeviceId(0), DeviceId(0)}};
  EXPECT_EQ(check_fusion(problem, plan), std::nullopt);
  EXPECT_EQ(merging(problem, large, 2), Refusal::none);
}

}  // namespace
}  // namespace hone
