#pragma once

#include "graph/ir/graph.h"

namespace hone {

/// Bytes that the nodes of a graph, run in order, read when a cache no longer has them, because more than it holds was
/// read and written since they were written or last read. Values larger than half the cache are left out: a node that
/// is timed alone does not find them there either.
double reread_bytes(const Graph& graph, double cache_bytes);

}  // namespace hone
