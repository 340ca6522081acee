#pragma once

#include <cstddef>

namespace hone::learn {

/// How long layers take on a random graph with local edges, the best of some runs.
struct LayerTimes {
  std::size_t edges = 0;
  double forward_ms = 0, backward_ms = 0;  // three layers of GraphSAGE with max pooling, 128 wide
  double pool_ms = 0;                      // pooling of neighbours with its gradient, sorted edges
  double scatter_ms = 0;                   // the same by gathering rows for all edges and scatter_reduce
};
LayerTimes time_layers(std::size_t nodes, std::size_t threads);

}  // namespace hone::learn
