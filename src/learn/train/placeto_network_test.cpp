#include "learn/train/placeto_network.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "learn/train/gradient_test.h"
#include "learn/train/two_cliques_test.h"

namespace hone::learn {
namespace {

TEST(OperationClusters, AreOfWorkThatHangsTogether) {
  const Problem problem = two_cliques(8);
  const GraphView graph(problem);
  const OperationClusters two(graph, 2);
  EXPECT_EQ(two.count, 2U);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(two.cluster_of[i], two.cluster_of[i < 8 ? 0 : 8]);
  const OperationClusters many(graph, 100);
  EXPECT_EQ(many.count, 16U);
}

TEST(OperationClusters, AreNoMoreThanAskedFor) {
  const Problem problem = two_cliques(20);
  const GraphView graph(problem);
  for (const std::size_t most : {1, 3, 7, 11}) {
    const OperationClusters clusters(graph, most);
    EXPECT_LE(clusters.count, most);
    EXPECT_EQ(*std::ranges::max_element(clusters.cluster_of) + 1, clusters.count);
  }
}

TEST(PlacetoNetwork, StatesAreJudgedEachByItself) {
  const Problem problem = two_cliques(3);
  const GraphView graph(problem);
  const OperationClusters clusters(graph, 6);
  DrawnWeights weights(Rng(1));
  const PlacetoNetwork network(graph, clusters, {.devices = 2, .width = 4, .rounds = 2}, weights);
  const std::vector<PlacetoNetwork::State> states{{{0, 0, 0, 0, 0, 0}, 0}, {{0, 1, 0, 1, 0, 0}, 4}};
  const torch::Tensor both = network.log_chances(states);
  for (std::size_t i = 0; i < states.size(); ++i) {
    const torch::Tensor one = network.log_chances(std::span(&states[i], 1));
    EXPECT_TRUE(torch::allclose(both[static_cast<std::int64_t>(i)], one[0], 1e-4, 1e-5));
    EXPECT_NEAR(one.exp().sum().item<double>(), 1, 1e-5);
  }
  EXPECT_FALSE(torch::allclose(both[0], both[1]));  // where others are makes a difference
}

}  // namespace
}  // namespace hone::learn
