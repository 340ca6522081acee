#include "graph/ops/one_node_test.h"

namespace hone {
namespace {

TEST(NegativeLogLikelihoodTest, WeighsClassesAndIgnoresTargets) {
  const Tensor scores = floats({-1, -2, -3, -4, -5, -6}, {3, 2}), targets = int64s({0, 1, -1}, {3});
  const Tensor weights = floats({1, 3}, {2});
  const auto loss = [&](std::string reduction) {
    const OneNode node = {
        "NegativeLogLikelihoodLoss", 13, {{"ignore_index", std::int64_t{-1}}, {"reduction", std::move(reduction)}}};
    return run_node(node, {scores, targets, weights})[0];
  };
  expect_numbers(loss("none"), {3}, {1, 12, 0});
  expect_numbers(loss("sum"), {}, {13});
  expect_numbers(loss("mean"), {}, {13.0 / 4});
}

TEST(NegativeLogLikelihoodTest, RefusesTargetsThatAreNoClass) {
  EXPECT_THROW(run_node({"NegativeLogLikelihoodLoss", 13}, {counting({1, 2}), int64s({2}, {1})}), InputError);
}

TEST(NegativeLogLikelihoodTest, TargetsForAnotherNumberOfScoresAreRefusedBeforeRunning) {
  const Type scores = Type::tensor(ElementType::float32, {1, 4}), targets = Type::tensor(ElementType::int64, {16});
  EXPECT_THROW(inferred_type({"NegativeLogLikelihoodLoss", 13}, {scores, targets}), InputError);
}

TEST(SoftmaxCrossEntropyTest, GivesLogProbabilitiesOverTheClassAxis) {
  const float two = std::log(2.0f);
  const Tensor scores = floats({0, two, two, 0}, {1, 2, 2}), targets = int64s({1, 1}, {1, 2});
  const auto outputs =
      run_node({"SoftmaxCrossEntropyLoss", 13, {{"reduction", std::string("none")}}, 2}, {scores, targets});
  const double third = std::log(1.0 / 3), two_thirds = std::log(2.0 / 3);
  expect_numbers(outputs[0], {1, 2}, {-two_thirds, -third});
  expect_numbers(outputs[1], {1, 2, 2}, {third, two_thirds, two_thirds, third});
}

}  // namespace
}  // namespace hone
