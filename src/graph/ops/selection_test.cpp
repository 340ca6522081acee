#include <gtest/gtest.h>

#include <cmath>

#include "graph/ops/single_node_test.h"

namespace hone {
namespace {

TEST(TopKTest, PrefersTheLowerIndexOfEqualElements) {
  SingleNode node{.op = "TopK", .inputs = {floats({1, 3, 3, 2}, {1, 4}), indices({2})}, .outputs = 2};
  std::vector<Tensor> found = node.run_all();
  EXPECT_EQ(found[0], floats({3, 3}, {1, 2}));
  EXPECT_EQ(found[1], Tensor::of<std::int64_t>({1, 2}, {1, 2}));
  node.attributes = {whole("largest", 0), whole("axis", 1)};
  found = node.run_all();
  EXPECT_EQ(found[0], floats({1, 2}, {1, 2}));
  EXPECT_EQ(found[1], Tensor::of<std::int64_t>({0, 3}, {1, 2}));
  EXPECT_EQ(node.inferred({Dim::symbol("n"), 4}), "float[n,2]");
  node.inputs[1] = indices({5});
  EXPECT_THROW(node.run_all(), InputError);
  EXPECT_THROW(node.inferred(), InputError);
}

TEST(TopKTest, WorksAlongAnOuterAxisAndReadsTheOldAttribute) {
  const SingleNode node{.op = "TopK",
                        .opset = 1,
                        .inputs = {floats({1, 9, 5, 2}, {2, 2})},
                        .attributes = {whole("k", 1), whole("axis", 0)},
                        .outputs = 2};
  EXPECT_EQ(node.run_all()[0], floats({5, 9}, {1, 2}));
  EXPECT_EQ(node.run_all()[1], Tensor::of<std::int64_t>({1, 0}, {1, 2}));
}

TEST(ArgMaxTest, TakesTheFirstOrLastOfEqualElements) {
  SingleNode node{.op = "ArgMax",
                  .inputs = {floats({2, 2, 1, 0, 3, 3}, {2, 3})},
                  .attributes = {whole("axis", -1), whole("keepdims", 0)}};
  EXPECT_EQ(node.run(), indices({0, 1}));
  node.attributes.push_back(whole("select_last_index", 1));
  EXPECT_EQ(node.run(), indices({1, 2}));
  node.op = "ArgMin";
  node.attributes = {};
  EXPECT_EQ(node.run(), Tensor::of<std::int64_t>({1, 0, 0}, {1, 3}));
  EXPECT_EQ(node.inferred({Dim::symbol("n"), 3}), "int64[1,3]");
}

TEST(ArgMaxTest, FindsNotANumberAndRefusesNothing) {
  EXPECT_EQ((SingleNode{.op = "ArgMax", .inputs = {floats({1, NAN, 7}, {3})}}.run()), indices({1}));
  EXPECT_THROW((SingleNode{.op = "ArgMax", .inputs = {floats({}, {0, 2})}}.run()), InputError);
}

TEST(OneHotTest, CountsNegativeIndicesFromTheEndAndIgnoresOthers) {
  const SingleNode node{.op = "OneHot",
                        .inputs = {indices({1, -1, 5}), Tensor::scalar<std::int64_t>(3), floats({0, 1}, {2})}};
  EXPECT_EQ(node.run(), floats({0, 1, 0, 0, 0, 1, 0, 0, 0}, {3, 3}));
  EXPECT_EQ(node.inferred({Dim::symbol("n")}), "float[n,3]");
  const SingleNode front{.op = "OneHot",
                         .inputs = {indices({1, 0, 1}), indices({2}), floats({2, 5}, {2})},
                         .attributes = {whole("axis", 0)}};
  EXPECT_EQ(front.run(), floats({2, 5, 2, 5, 2, 5}, {2, 3}));
}

TEST(CompressTest, KeepsWhatTheConditionMarks) {
  SingleNode node{.op = "Compress",
                  .inputs = {counting({3, 2}), Tensor::of<bool>({false, true}, {2})},
                  .attributes = {whole("axis", 0)}};
  EXPECT_EQ(node.run(), floats({2, 3}, {1, 2}));
  EXPECT_EQ(node.inferred({Dim::symbol("n"), 2}), "float[1,2]");
  node.attributes = {};
  node.inputs[1] = Tensor::of<bool>({true, false, false, false, true}, {5});
  EXPECT_EQ(node.run(), floats({0, 4}, {2}));
  node.inputs[1] = Tensor::of<bool>({true, true, true, true, true, true, true}, {7});
  EXPECT_THROW(node.run(), InputError);
}

TEST(UniqueTest, GivesAllFourOutputsSorted) {
  const SingleNode node{.op = "Unique", .inputs = {floats({2, 1, 1, 3, 4, 3}, {6})}, .outputs = 4};
  const std::vector<Tensor> found = node.run_all();
  EXPECT_EQ(found[0], floats({1, 2, 3, 4}, {4}));
  EXPECT_EQ(found[1], indices({1, 0, 3, 4}));
  EXPECT_EQ(found[2], indices({1, 0, 0, 2, 3, 2}));
  EXPECT_EQ(found[3], indices({2, 1, 2, 1}));
}

TEST(UniqueTest, KeepsTheOrderOfFirstOccurrenceWhenNotSorted) {
  const SingleNode node{.op = "Unique",
                        .inputs = {Tensor::of<std::string>({"b", "a", "b"}, {3})},
                        .attributes = {whole("sorted", 0)},
                        .outputs = 4};
  const std::vector<Tensor> found = node.run_all();
  EXPECT_EQ(found[0], Tensor::of<std::string>({"b", "a"}, {2}));
  EXPECT_EQ(found[2], indices({0, 1, 0}));
}

TEST(UniqueTest, ComparesWholeSlicesAlongAnAxis) {
  const SingleNode node{
      .op = "Unique", .inputs = {floats({1, 0, 1, 2, 0, 2}, {2, 3})}, .attributes = {whole("axis", -1)}, .outputs = 4};
  const std::vector<Tensor> found = node.run_all();
  EXPECT_EQ(found[0], floats({0, 1, 0, 2}, {2, 2}));
  EXPECT_EQ(found[1], indices({1, 0}));
  EXPECT_EQ(found[2], indices({1, 0, 1}));
}

}  // namespace
}  // namespace hone
