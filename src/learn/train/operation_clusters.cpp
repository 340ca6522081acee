#include "learn/train/operation_clusters.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hone::learn {
namespace {

/// Clusters that grow, each named by one of its operations.
class ClusterForest {
 public:
  ClusterForest(const GraphView& graph, double longest)
      : parent_(graph.operations()), seconds_(graph.operations()), longest_(longest) {
    std::iota(parent_.begin(), parent_.end(), 0U);
    for (std::size_t i = 0; i < seconds_.size(); ++i) seconds_[i] = graph.least_seconds(i);
  }

  std::uint32_t root(std::uint32_t operation) {
    while (parent_[operation] != operation) operation = parent_[operation] = parent_[parent_[operation]];
    return operation;
  }

  void join(std::uint32_t one, std::uint32_t other) {
    one = root(one);
    other = root(other);
    if (one == other || seconds_[one] + seconds_[other] > longest_) return;
    parent_[other] = one;
    seconds_[one] += seconds_[other];
  }

  double seconds(std::uint32_t root) const { return seconds_[root]; }

 private:
  std::vector<std::uint32_t> parent_;
  std::vector<double> seconds_;
  double longest_;
};

struct ClusterEdge {
  double bytes = 0;
  std::uint32_t from = 0, to = 0;
};

std::vector<ClusterEdge> heaviest_first(const GraphView& graph) {
  std::vector<ClusterEdge> edges;
  for (std::uint32_t i = 0; i < graph.operations(); ++i)
    for (const std::uint32_t reader : graph.after(i)) edges.push_back({graph.made_bytes(i), i, reader});
  std::ranges::stable_sort(edges, std::greater(), &ClusterEdge::bytes);
  return edges;
}

}  // namespace

OperationClusters::OperationClusters(const GraphView& graph, std::size_t most) : cluster_of(graph.operations()) {
  double total = 0;
  for (std::size_t i = 0; i < graph.operations(); ++i) total += graph.least_seconds(i);
  ClusterForest forest(graph, 1.5 * total / static_cast<double>(most));
  for (const ClusterEdge& edge : heaviest_first(graph)) forest.join(edge.from, edge.to);
  // What was too long to be joined is many small clusters still: neighbours in topological order become one.
  constexpr std::uint32_t kNone = ~0U;
  std::vector<std::uint32_t> roots, number(graph.operations(), kNone);
  for (const std::uint32_t operation : graph.sequence())
    if (const std::uint32_t root = forest.root(operation); number[root] == kNone) {
      number[root] = 0;
      roots.push_back(root);
    }
  double left = total;
  double filled = 0;
  std::size_t clusters_left = most;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const double seconds = forest.seconds(roots[i]);
    const bool many = roots.size() - i > clusters_left;
    const double share = left / static_cast<double>(std::max<std::size_t>(1, clusters_left));
    const bool is_full = filled + seconds / 2 > share || !many;
    if (count == 0 || (is_full && clusters_left > 1)) {
      if (count > 0) {
        left -= filled;
        --clusters_left;
      }
      filled = 0;
      ++count;
    }
    filled += seconds;
    number[roots[i]] = static_cast<std::uint32_t>(count - 1);
  }
  for (std::uint32_t i = 0; i < cluster_of.size(); ++i) cluster_of[i] = number[forest.root(i)];
}

}  // namespace hone::learn
