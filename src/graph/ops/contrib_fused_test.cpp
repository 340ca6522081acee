#include <numbers>

#include "graph/ops/one_node_test.h"

namespace hone {
namespace {

TEST(FusedMatMulTest, TransposesAndScales) {
  const OneNode node =
      contrib("FusedMatMul", {{.name = "transA", .value = std::int64_t{1}}, {.name = "alpha", .value = 2.0f}});
  expect_numbers(run_node(node, {floats({1, 2, 3, 4}, {2, 2}), floats({1, 0, 0, 1}, {2, 2})})[0], {2, 2}, {2, 6, 4, 8});
}

TEST(FusedMatMulTest, MovesTheFirstAxisBehindTheBatch) {
  const OneNode node = contrib("FusedMatMul", {{.name = "transBatchA", .value = std::int64_t{1}}});
  expect_numbers(run_node(node, {counting({2, 1, 3}), floats({1, 1, 1}, {1, 3, 1})})[0], {1, 2, 1}, {3, 12});
  EXPECT_EQ(inferred_type(node, {float_type({2, Dim::symbol("b"), 3}), float_type({1, 3, 5})}), "float[b,2,5]");
}

TEST(FusedGemmTest, AppliesTheActivation) {
  const OneNode node = contrib("FusedGemm", {{.name = "activation", .value = std::string("LeakyRelu")},
                                             {.name = "activation_alpha", .value = 0.5f}});
  expect_numbers(run_node(node, {floats({-4, 1}, {1, 2}), floats({1, 0, 0, 1}, {2, 2}), floats({2, 2}, {2})})[0],
                 {1, 2}, {-1, 3});
}

TEST(FusedConvTest, AddsTheFourthInputBeforeTheActivation) {
  const OneNode node = contrib("FusedConv", {{.name = "activation", .value = std::string("Relu")}});
  const Tensor x = floats({1, 2, 3, 4}, {1, 1, 2, 2}), ones = floats({1, 1, 1, 1}, {1, 1, 2, 2});
  expect_numbers(run_node(node, {x, floats({2}, {1, 1, 1, 1}), floats({-5}, {1}), ones})[0], {1, 1, 2, 2},
                 {0, 0, 2, 4});
}

TEST(ContribGeluTest, AgreesWithTheFormulas) {
  const Tensor x = floats({0, 1, 2}, {3}), bias = floats({1, 0, -1}, {3});
  expect_numbers(run_node(contrib("BiasGelu"), {x, bias})[0], {3}, {0.8413447, 0.8413447, 0.8413447});
  expect_numbers(run_node(contrib("FastGelu"), {floats({1}, {1})})[0], {1}, {0.841192});
  expect_numbers(run_node(contrib("QuickGelu"), {floats({1}, {1})})[0], {1}, {0.8457958});
  expect_numbers(run_node(contrib("BiasSplitGelu"), {floats({2, 1}, {1, 1, 2}), floats({0, 0}, {2})})[0], {1, 1, 1},
                 {1.6826895});
}

TEST(BiasSoftmaxTest, AddsTheBiasFirst) {
  const OneNode node = contrib("BiasSoftmax", {{.name = "is_inner_broadcast", .value = std::int64_t{0}}});
  expect_numbers(run_node(node, {floats({0, 0, 5, 5}, {2, 2}), floats({0, std::log(3.0f)}, {1, 2})})[0], {2, 2},
                 {0.25, 0.75, 0.25, 0.75});
}

TEST(SkipLayerNormalizationTest, NormalisesTheSumAndGivesItToo) {
  const auto outputs =
      run_node(contrib("SkipLayerNormalization", {}, 4),
               {floats({1, 3}, {1, 1, 2}), floats({1, 1}, {1, 2}), floats({1, 2}, {2}), floats({0, 1}, {2})});
  expect_numbers(outputs[0], {1, 1, 2}, {-1, 3});
  expect_numbers(outputs[1], {1, 1, 1}, {3});
  expect_numbers(outputs[3], {1, 1, 2}, {2, 4});
}

TEST(SimplifiedLayerNormalizationTest, DividesByTheRootMeanSquare) {
  const OneNode node{.op = "SimplifiedLayerNormalization"};
  expect_numbers(run_node(node, {floats({3, 4}, {1, 2}), floats({1, 2}, {2})})[0], {1, 2}, {0.8485281, 2.2627417});
}

TEST(EmbedLayerNormalizationTest, SumsTheTables) {
  const Tensor ids = Tensor::of<std::int32_t>({1}, {1, 1}), mask = Tensor::of<std::int32_t>({1}, {1, 1});
  const Tensor words = floats({9, 9, 1, 2}, {2, 2}), places = floats({1, 2}, {1, 2});
  const auto outputs = run_node(contrib("EmbedLayerNormalization", {}, 3),
                                {ids, {}, words, places, {}, floats({1, 1}, {2}), floats({0, 0}, {2}), mask});
  expect_numbers(outputs[0], {1, 1, 2}, {-1, 1});
  expect_numbers(outputs[1], {1}, {1});
  expect_numbers(outputs[2], {1, 1, 2}, {2, 4});
}

TEST(GroupNormTest, NormalisesGroupsOfChannelsAtTheBack) {
  const OneNode node = contrib(
      "GroupNorm", {{.name = "groups", .value = std::int64_t{2}}, {.name = "activation", .value = std::int64_t{0}}});
  const Tensor x = floats({1, 10, 3, 30}, {1, 1, 2, 2});
  expect_numbers(run_node(node, {x, floats({1, 1}, {2}), floats({0, 5}, {2})})[0], {1, 1, 2, 2}, {-1, 4, 1, 6});
}

TEST(ContribTensorsTest, ExpandDimsInverseDistancesAndUnique) {
  expect_numbers(run_node(contrib("ExpandDims"), {counting({2}), Tensor::scalar<std::int32_t>(-1)})[0], {2, 1}, {0, 1});
  expect_numbers(run_node(contrib("Inverse"), {floats({0, 2, 4, 0}, {2, 2})})[0], {2, 2}, {0, 0.25, 0.5, 0});
  EXPECT_THROW(run_node(contrib("Inverse"), {floats({1, 1, 1, 1}, {2, 2})}), InputError);
  expect_numbers(run_node(contrib("CDist"), {floats({0, 0}, {1, 2}), floats({3, 4, 0, 1}, {2, 2})})[0], {1, 2},
                 {25, 1});
  const auto unique = run_node(contrib("Unique", {}, 3), {floats({7, 5, 7}, {3})});
  expect_numbers(unique[0], {2}, {7, 5});
  expect_numbers(unique[1], {3}, {0, 1, 0});
  expect_numbers(unique[2], {2}, {2, 1});
}

}  // namespace
}  // namespace hone
