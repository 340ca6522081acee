#pragma once

#include <vector>

#include "learn/policy/graph_view.h"
#include "learn/train/drawn_weights.h"

namespace hone::learn {

/// The first half of HDP: puts every operation into one of a few groups, by a feed-forward network that sees it alone.
class HdpGrouper {
 public:
  /// Adds its arrays to the weights, which must outlive it, as must the graph.
  HdpGrouper(const GraphView& graph, std::int64_t groups, DrawnWeights& weights);

  /// [operations, groups]: logarithms of the chances.
  torch::Tensor log_chances() const;
  std::int64_t groups() const { return groups_; }

  /// What the second half sees of groups, [groups, width]: how many operations of which class each has and their
  /// seconds and bytes, and how many bytes go to and come from each other group.
  torch::Tensor embedding(std::span<const std::int64_t> group_of) const;
  std::int64_t embedding_width() const;

 private:
  const GraphView& graph_;
  std::int64_t groups_;
  DrawnWeights& weights_;
  torch::Tensor features_;  // [operations, kFeatures]
};

}  // namespace hone::learn
