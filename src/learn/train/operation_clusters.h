#pragma once

#include <cstdint>
#include <vector>

#include "learn/policy/graph_view.h"

namespace hone::learn {

/// Operations of one graph in at most so many clusters, each of connected work of about equal length.
struct OperationClusters {
  /// Joins along edges, those of most bytes first, until clusters are as long as they may be; then what is left of them
  /// in topological order.
  OperationClusters(const GraphView& graph, std::size_t most);

  std::size_t count = 0;
  std::vector<std::uint32_t> cluster_of;  // by operation; numbered by their first operation in topological order
};

}  // namespace hone::learn
