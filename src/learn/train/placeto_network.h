#pragma once

#include <vector>

#include "learn/train/drawn_weights.h"
#include "learn/train/operation_clusters.h"

namespace hone::learn {

/// Placeto's network: messages along the graph from both ends, then for the node that is to be moved what it is, what
/// comes before it, after it and beside it.
class PlacetoNetwork {
 public:
  struct Sizes {
    std::int64_t devices = 0, width = 0, rounds = 0;
  };

  /// Adds its arrays to the weights, which must outlive it.
  PlacetoNetwork(const GraphView& graph, const OperationClusters& clusters, const Sizes& sizes, DrawnWeights& weights);

  std::int64_t nodes() const { return nodes_; }

  /// A step of an episode: where every node is and which one is moved; those before it were.
  struct State {
    std::vector<std::int64_t> devices;
    std::int64_t moved = 0;
  };
  /// [states, devices]: logarithms of the chances of where the node goes.
  torch::Tensor log_chances(std::span<const State> states) const;

 private:
  torch::Tensor rows_of(std::span<const State> states) const;

  Sizes sizes_;
  std::int64_t nodes_;
  DrawnWeights& weights_;
  torch::Tensor fixed_;                     // [nodes, 2]: seconds and bytes of a node
  torch::Tensor from_before_, from_after_;  // [nodes, nodes]: shares of neighbours
  torch::Tensor earlier_, later_, beside_;  // [nodes, nodes]: shares of all that come before, after, neither
};

}  // namespace hone::learn
