#include "graph/ops/one_node_test.h"

namespace hone {
namespace {

double mean_of(const Tensor& tensor) {
  double sum = 0;
  for (std::size_t i = 0; i < tensor.count(); ++i) sum += tensor.number_at(i);
  return sum / static_cast<double>(tensor.count());
}

TEST(RandomTest, NormalHasItsMeanAndSpread) {
  const OneNode node{
      "RandomNormal",
      24,
      {attribute("shape", std::vector<std::int64_t>{100, 100}), attribute("mean", 3.0f), attribute("scale", 2.0f)}};
  const Tensor y = run_node(node, {})[0];
  EXPECT_EQ(y.dims(), (Dims{100, 100}));
  EXPECT_NEAR(mean_of(y), 3, 0.1);
  double variance = 0;
  for (const float x : y.values<float>()) variance += (x - 3) * (x - 3) / 10000;
  EXPECT_NEAR(variance, 4, 0.3);
}

TEST(RandomTest, UniformLikeStaysWithinItsBounds) {
  const OneNode node{"RandomUniformLike", 24, {attribute("low", -1.0f), attribute("dtype", std::int64_t{11})}};
  const Tensor y = run_node(node, {counting({1000})})[0];
  EXPECT_EQ(y.type(), ElementType::float64);
  for (const double x : y.values<double>()) EXPECT_TRUE(x >= -1 && x < 1);
  EXPECT_NEAR(mean_of(y), 0, 0.1);
}

TEST(RandomTest, ASeedRepeats) {
  const auto draw = [](float seed) {
    const Attributes attributes = {attribute("shape", std::vector<std::int64_t>{8}), attribute("seed", seed)};
    return run_node({"RandomUniform", 24, attributes}, {})[0];
  };
  EXPECT_TRUE(draw(1) == draw(1));
  EXPECT_FALSE(draw(1) == draw(2));
}

TEST(RandomTest, RefusesAbsurdShapes) {
  const Attributes attributes = {attribute("shape", std::vector<std::int64_t>{1 << 20, 1 << 20})};
  EXPECT_THROW(run_node({"RandomUniform", 24, attributes}, {}), InputError);
}

TEST(BernoulliTest, FollowsTheProbabilities) {
  expect_numbers(run_node({"Bernoulli"}, {floats({0, 1, 1, 0}, {4})})[0], {4}, {0, 1, 1, 0});
}

TEST(MultinomialTest, DrawsOnlyPossibleClasses) {
  const float never = -std::numeric_limits<float>::infinity();
  const Tensor logarithms = floats({never, 0, never, 5, never, never}, {2, 3});
  const Tensor y = run_node({"Multinomial", 24, {attribute("sample_size", std::int64_t{4})}}, {logarithms})[0];
  EXPECT_EQ(y.type(), ElementType::int32);
  expect_numbers(y, {2, 4}, {1, 1, 1, 1, 0, 0, 0, 0});
}

}  // namespace
}  // namespace hone
