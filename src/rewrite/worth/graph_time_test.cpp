#include "rewrite/worth/graph_time.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace hone {
namespace {

/// Models on a runtime that makes activations part of convolutions, and charges for each kernel.
std::vector<MeasuredRewrites> models_of_a_runtime(std::size_t count, double noise) {
  Rng rng(11);
  const auto drawn = [&](double scale) {
    MeasuredRewrite each;
    each.parts[TimePart::spatial_convolution] = scale * rng.uniform(5, 6);
    each.parts[TimePart::activation_after_convolution] = scale * rng.uniform(0, 2);
    each.parts[TimePart::transpose] = scale * rng.uniform(0, 1);
    each.parts[TimePart::kernels] = scale * rng.uniform(0.1, 0.2);
    each.seconds = 0.8 * each.parts[TimePart::spatial_convolution] + 1.5 * each.parts[TimePart::transpose] +
                   3 * each.parts[TimePart::kernels];
    each.seconds *= 1 + noise * rng.normal();
    return each;
  };
  std::vector<MeasuredRewrites> models(count);
  for (MeasuredRewrites& model : models) {
    const double scale = rng.uniform(0.001, 0.1);
    model.start = drawn(scale);
    for (int i = 0; i < 30; ++i) model.rewrites.push_back(drawn(scale));
  }
  return models;
}

TEST(GraphTimeTest, WithoutExamplesItIsTheSumOfPrices) {
  const MeasuredRewrite any = models_of_a_runtime(1, 0)[0].start;
  EXPECT_DOUBLE_EQ(GraphTime().seconds(any.parts), any.parts.sum_of_nodes());
  EXPECT_DOUBLE_EQ(GraphTime::fit({}).seconds(any.parts), any.parts.sum_of_nodes());
}

TEST(GraphTimeTest, LearnsWhatARuntimeFusesAndWhatItChargesFor) {
  const std::vector<MeasuredRewrites> models = models_of_a_runtime(8, 0.002);
  const GraphTime time = GraphTime::fit(models);
  EXPECT_NEAR(time.weight(TimePart::spatial_convolution), 0.8, 0.05);
  EXPECT_NEAR(time.weight(TimePart::activation_after_convolution), 0, 0.05);
  EXPECT_NEAR(time.weight(TimePart::transpose), 1.5, 0.1);
  const std::vector<MeasuredRewrites> others = models_of_a_runtime(9, 0);
  for (const MeasuredRewrite& rewrite : others.back().rewrites)
    EXPECT_NEAR(time.seconds(rewrite.parts) / rewrite.seconds, 1, 0.03);
}

TEST(GraphTimeTest, WeightsAreNeverBelowZero) {
  std::vector<MeasuredRewrites> models = models_of_a_runtime(4, 0.3);
  const GraphTime time = GraphTime::fit(models);
  for (std::size_t i = 0; i < kTimeParts; ++i) EXPECT_GE(time.weight(static_cast<TimePart>(i)), 0);
}

TEST(GraphTimeTest, OneLargeModelDoesNotDrownTheOthers) {
  std::vector<MeasuredRewrites> models = models_of_a_runtime(6, 0);
  MeasuredRewrites odd = models[0];  // a thousand times as long, and nothing like the others
  const auto enlarge = [](MeasuredRewrite& each) {
    for (double& seconds : each.parts.seconds) seconds *= 1000;
    each.seconds *= 3000;
  };
  enlarge(odd.start);
  for (MeasuredRewrite& each : odd.rewrites) enlarge(each);
  models.push_back(odd);
  const MeasuredRewrites& seen = models[1];
  EXPECT_NEAR(GraphTime::fit(models).seconds(seen.start.parts) / seen.start.seconds, 1, 0.6);
}

}  // namespace
}  // namespace hone
