#include "graph/ops/one_node_test.h"

namespace hone {
namespace {

TEST(LayerNormalizationTest, GivesMeanAndInverseDeviation) {
  const OneNode node = {"LayerNormalization", 17, {{"epsilon", 0.0f}}, 3};
  const auto outputs = run_node(node, {floats({1, 3, 10, 30}, {2, 2}), floats({1, 2}, {2}), floats({5}, {1})});
  expect_numbers(outputs[0], {2, 2}, {4, 7, 4, 7});
  expect_numbers(outputs[1], {2, 1}, {2, 20});
  expect_numbers(outputs[2], {2, 1}, {1, 0.1});
}

TEST(LayerNormalizationTest, KeepsStatisticsInFloatForHalves) {
  const OneNode node = {"LayerNormalization", 17, {}, 2};
  const Tensor x = Tensor::of<Float16>({Float16(1), Float16(3)}, {1, 2}), one = Tensor::of<Float16>({Float16(1)}, {1});
  const auto outputs = run_node(node, {x, one});
  EXPECT_EQ(outputs[0].type(), ElementType::float16);
  EXPECT_EQ(outputs[1].type(), ElementType::float32);
}

TEST(RMSNormalizationTest, DividesByTheRootMeanSquare) {
  const OneNode node = {"RMSNormalization", 23, {{"epsilon", 0.0f}}};
  expect_numbers(run_node(node, {floats({1, 7}, {1, 2}), floats({5, 10}, {2})})[0], {1, 2}, {1, 14});
}

TEST(LpNormalizationTest, DividesByTheNormAlongAnAxis) {
  expect_numbers(run_node({"LpNormalization", 1, {{"axis", std::int64_t{0}}}}, {floats({3, 0, 4, 0}, {2, 2})})[0],
                 {2, 2}, {0.6, 0, 0.8, 0});
  expect_numbers(run_node({"LpNormalization", 1, {{"p", std::int64_t{1}}}}, {floats({1, -3}, {2})})[0], {2},
                 {0.25, -0.75});
}

TEST(LocalResponseTest, SumsSquaresOfNeighbouringChannels) {
  const OneNode node = {"LRN", 13, {{"size", std::int64_t{2}}, {"alpha", 2.0f}, {"beta", 1.0f}, {"bias", 0.0f}}};
  // An even size reaches one channel further up than down.
  expect_numbers(run_node(node, {floats({1, 2, 3}, {1, 3, 1})})[0], {1, 3, 1}, {1.0 / 5, 2.0 / 13, 3.0 / 9});
}

TEST(MeanVarianceTest, NormalisesAllButTheChannels) {
  const Tensor y = run_node({"MeanVarianceNormalization", 13}, {floats({1, 10, 3, 30}, {2, 2, 1, 1})})[0];
  expect_numbers(y, {2, 2, 1, 1}, {-1, -1, 1, 1});
}

TEST(BatchNormalizationTest, UsesTheGivenStatistics) {
  const OneNode node = {"BatchNormalization", 15, {{"epsilon", 0.0f}}};
  const Tensor y = run_node(node, {floats({1, 2, 3, 4}, {1, 2, 2}), floats({1, 2}, {2}), floats({0, 1}, {2}),
                                   floats({1, 3}, {2}), floats({1, 4}, {2})})[0];
  expect_numbers(y, {1, 2, 2}, {0, 1, 1, 2});
}

TEST(BatchNormalizationTest, LearnsStatisticsInTraining) {
  const OneNode node = {
      "BatchNormalization", 15, {{"epsilon", 0.0f}, {"momentum", 0.5f}, {"training_mode", std::int64_t{1}}}, 3};
  const auto outputs =
      run_node(node, {floats({1, 3}, {2, 1}), floats({1}, {1}), floats({0}, {1}), floats({0}, {1}), floats({3}, {1})});
  expect_numbers(outputs[0], {2, 1}, {-1, 1});
  expect_numbers(outputs[1], {1}, {1});
  expect_numbers(outputs[2], {1}, {2});
}

TEST(BatchNormalizationTest, RefusesParametersOfAnotherLength) {
  const Tensor one = floats({1}, {1});
  EXPECT_THROW(run_node({"BatchNormalization", 15}, {counting({1, 2, 2}), one, one, one, one}), InputError);
}

TEST(InstanceNormalizationTest, NormalisesEachPlane) {
  const OneNode node = {"InstanceNormalization", 6, {{"epsilon", 0.0f}}};
  expect_numbers(run_node(node, {floats({1, 3, 10, 30}, {1, 2, 2}), floats({1, 2}, {2}), floats({0, 1}, {2})})[0],
                 {1, 2, 2}, {-1, 1, -1, 3});
}

TEST(GroupNormalizationTest, ScalesByGroupThenByChannel) {
  const Tensor x = floats({1, 3, 10, 30}, {1, 4, 1});
  const Attributes groups = {{"num_groups", std::int64_t{2}}, {"epsilon", 0.0f}};
  expect_numbers(run_node({"GroupNormalization", 18, groups}, {x, floats({1, 2}, {2}), floats({0, 1}, {2})})[0],
                 {1, 4, 1}, {-1, 1, -1, 3});
  expect_numbers(
      run_node({"GroupNormalization", 21, groups}, {x, floats({1, 2, 3, 4}, {4}), floats({0, 0, 0, 1}, {4})})[0],
      {1, 4, 1}, {-1, 2, -3, 5});
}

}  // namespace
}  // namespace hone
