#pragma once

#include <vector>

#include "graph/ir/graph.h"

namespace hone {

/// Living nodes such that producers come before readers. File order is kept wherever it is valid; a node that was added
/// later stands just before its first reader. Throws InputError naming a node of a cycle.
std::vector<NodeId> topological_order(const Graph& graph);

}  // namespace hone
