#pragma once

#include <vector>

#include "graph/ir/model.h"
#include "plan/problem/workload.h"

namespace hone {

/// The planning view of a model: nodes become operations, values become buffers; constants are weights. Nodes with
/// bodies are one operation each that costs what their bodies cost together. Shapes must have been inferred; throws
/// InputError naming a tensor whose size is not a number.
Workload lower(const Model& model);

/// The class of operation that a node is.
OperationClass operation_class_of(const Node& node);

/// The nodes that are operations, by OperationId: all but constants, in topological order.
std::vector<NodeId> operation_nodes(const Graph& graph);

}  // namespace hone
