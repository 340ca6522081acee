#include "learn/policy/gene_features.h"

#include <gtest/gtest.h>

#include <cmath>

#include "learn/policy/drawn_problem_test.h"
#include "learn/policy/reference_order.h"
#include "plan/machine/machine_file.h"

namespace hone {
namespace {

constexpr std::size_t kFirstLiveness = kFeatures, kHome = kFeatures + 9;

/// A network of two layers and its gradients, which read the weights in the opposite order: forward 0, 1, backward
/// 2, 3.
Problem two_layers() {
  WorkloadBuilder builder("two layers");
  const BufferId small = builder.add_buffer({.bytes = 100}), large = builder.add_buffer({.bytes = 300});
  std::vector<BufferId> made;
  for (const BufferId weight : {small, large, large, small}) {
    std::vector<BufferId> reads = {weight};
    if (!made.empty()) reads.push_back(made.back());
    made.push_back(builder.add_buffer({.bytes = 10}));
    builder.add_operation({.flops = 1}, reads, std::span(&made.back(), 1));
  }
  return {.workload = std::move(builder).build(), .machine = load_machine("regal-2")};
}

TEST(GeneFeatures, ALayerAndItsGradientHaveTheSamePlaceAmongTheWeights) {
  const Problem problem = two_layers();
  const GraphView view(problem);
  const GeneFeatures features = gene_features_of(view, std::vector<float>{0, 0.25F, 0.5F, 0.75F});
  const auto home = [&](std::size_t i) { return features.rows[i * kGeneFeatures + kHome]; };
  EXPECT_FLOAT_EQ(home(0), 0.125F);
  EXPECT_FLOAT_EQ(home(1), 0.625F);
  EXPECT_FLOAT_EQ(home(2), home(1));
  EXPECT_FLOAT_EQ(home(3), home(0));
  EXPECT_FLOAT_EQ(features.places[3 * kGenePlaces + 1], home(3) - 0.5F);
  EXPECT_FLOAT_EQ(features.places[3 * kGenePlaces], 0.25F);
}

TEST(GeneFeatures, WhatIsHeldGoesWithWhatIsRead) {
  const Problem problem = two_layers();
  const GraphView view(problem);
  const GeneFeatures features = gene_features_of(view, std::vector<float>{0, 0.25F, 0.5F, 0.75F});
  EXPECT_FLOAT_EQ(features.rows[kFirstLiveness], 0.5F);                   // of two results that are held at most
  EXPECT_FLOAT_EQ(features.rows[3 * kGeneFeatures + kFirstLiveness], 1);  // its own and that of the one before
  EXPECT_FLOAT_EQ(features.rows[kFirstLiveness + 2], 0.25F);              // 100 of 400 bytes of weights are read
  EXPECT_NEAR(features.weighted, 2 * 400.0 / 420 - 1, 1e-6);
}

TEST(GeneFeatures, AreFiniteAndPlacesLieAroundTheMiddle) {
  const Problem problem = drawn_problem(5);
  const GraphView view(problem);
  const GeneFeatures features = gene_features_of(view, reference_order(view).places);
  ASSERT_EQ(features.rows.size(), view.operations() * kGeneFeatures);
  for (const float value : features.rows) EXPECT_TRUE(std::isfinite(value));
  for (const float place : features.places) EXPECT_LE(std::abs(place), 0.5F);
}

}  // namespace
}  // namespace hone
