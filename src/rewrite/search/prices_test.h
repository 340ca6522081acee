#pragma once

#include "rewrite/search/space.h"

namespace hone {

/// What a graph costs by adding its nodes anew; equals `RewriteState::seconds` up to rounding.
inline double sum_of_prices(const RewriteSpace& space, const Graph& graph) {
  double seconds = 0;
  for (const NodeId id : graph.nodes()) seconds += space.node_seconds(graph, id);
  return seconds;
}

}  // namespace hone
