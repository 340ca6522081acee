#pragma once

#include <cstddef>

namespace hone::learn {

/// The shortest of some runs, by the clock and by the processor's time of all threads.
struct Took {
  double ms = 1e9, cpu_ms = 1e9;
};

/// How long layers take on a random graph with local edges.
struct LayerTimes {
  std::size_t edges = 0;
  Took forward, backward;  // three layers of GraphSAGE with max pooling, 128 wide
  Took pool;               // pooling of neighbours with its gradient, sorted edges
  Took scatter;            // the same by gathering rows for all edges and scatter_reduce
};
LayerTimes time_layers(std::size_t nodes, std::size_t threads);

}  // namespace hone::learn
