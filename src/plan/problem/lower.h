#pragma once

#include <vector>

#include "plan/problem/workload.h"
#include "graph/ir/model.h"

namespace hone {

/// The planning view of a model: nodes become work, values become buffers; constants are weights. Nodes with bodies are
/// one work each that costs what their bodies cost together. Shapes must have been inferred; throws InputError naming a
/// tensor whose size is not a number.
Workload lower(const Model& model);

/// The class of work a node is.
WorkClass work_class_of(const Node& node);

/// The nodes that are work, by WorkId: all but constants, in topological order.
std::vector<NodeId> work_nodes(const Graph& graph);

}  // namespace hone
