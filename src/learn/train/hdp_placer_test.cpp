#include "learn/train/hdp_placer.h"

#include <gtest/gtest.h>

#include "learn/train/gradient_test.h"
#include "learn/train/hdp_grouper.h"
#include "learn/train/two_cliques_test.h"

namespace hone::learn {
namespace {

/// The same weights in double precision, for differences.
void make_exact(DrawnWeights& weights) {
  for (auto& [name, tensor] : weights.all()) tensor = tensor.detach().to(torch::kFloat64).set_requires_grad(true);
}

TEST(HdpPlacer, ChancesOfWhatWasDrawnAreThoseItWasDrawnBy) {
  DrawnWeights weights(Rng(1));
  const HdpPlacer placer({.embedding = 5, .devices = 3, .width = 4}, weights);
  torch::manual_seed(1);
  const torch::Tensor embedding = torch::rand({6, 5});
  Rng rng(2);
  const HdpPlacer::Drawn drawn = placer.draw(embedding, 7, rng);
  ASSERT_EQ(drawn.devices.size(), 7U);
  for (const std::vector<std::int64_t>& sample : drawn.devices) EXPECT_EQ(sample.size(), 6U);
  EXPECT_TRUE(torch::allclose(drawn.log_chances, placer.log_chances_of(embedding, drawn.devices)));
}

TEST(HdpPlacer, AllPlacementsTogetherAreCertain) {
  DrawnWeights weights(Rng(3));
  const HdpPlacer placer({.embedding = 2, .devices = 2, .width = 3}, weights);
  std::vector<std::vector<std::int64_t>> all;
  for (std::int64_t bits = 0; bits < 8; ++bits) all.push_back({bits & 1, bits >> 1 & 1, bits >> 2});
  EXPECT_NEAR(placer.log_chances_of(torch::ones({3, 2}), all).exp().sum().item<double>(), 1, 1e-5);
}

TEST(HdpGrouper, SeesWhatPassesBetweenGroups) {
  const Problem problem = two_cliques(3);
  const GraphView graph(problem);
  DrawnWeights weights(Rng(1));
  const HdpGrouper grouper(graph, 2, weights);
  const torch::Tensor chances = grouper.log_chances().exp().sum(1);
  EXPECT_TRUE(torch::allclose(chances, torch::ones_like(chances)));
  const std::vector<std::int64_t> apart{0, 0, 0, 1, 1, 1}, mixed{0, 1, 0, 1, 0, 1};
  // The last four columns: bytes to and from each of the two groups.
  const torch::Tensor to_other = grouper.embedding(apart).slice(1, grouper.embedding_width() - 4);
  EXPECT_EQ(to_other[0][1].item<float>(), 0);
  EXPECT_GT(to_other[0][0].item<float>(), 0);
  EXPECT_GT(grouper.embedding(mixed).slice(1, grouper.embedding_width() - 4)[0][1].item<float>(), 0);
}

TEST(DrawnWeights, GradientsOfMapsAreThoseOfDifferences) {
  DrawnWeights weights(Rng(5));
  weights.add("map", 3, 2);
  make_exact(weights);
  const torch::Tensor rows = torch::rand({4, 3}, torch::kFloat64);
  expect_gradient("map", {weights.at("map"), weights.at("map_bias")},
                  [&] { return torch::log_softmax(weights.map("map", rows), 1); });
}

TEST(DrawnWeights, ColumnsAreDrawnByTheirChances) {
  Rng rng(7);
  const torch::Tensor log_chances = torch::tensor({0.1F, 0.2F, 0.7F}).log().expand({20000, 3});
  std::vector<double> share(3);
  for (const std::int64_t column : drawn_columns(log_chances, rng)) share[static_cast<std::size_t>(column)] += 1 / 2e4;
  EXPECT_NEAR(share[0], 0.1, 0.02);
  EXPECT_NEAR(share[2], 0.7, 0.02);
}

}  // namespace
}  // namespace hone::learn
