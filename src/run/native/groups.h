#pragma once

#include <vector>

#include "graph/ir/model.h"

namespace hone::native {

/// Nodes that share a kernel.
struct NodeGroup {
  std::vector<NodeId> nodes;   // in topological order, copies among them
  std::vector<NodeId> copies;  // computed here once more, and stored elsewhere or nowhere
};

/// Groups in the order in which they run.
using NodeGroups = std::vector<NodeGroup>;

/// Every node by itself.
NodeGroups single_groups(const Model& model);
/// By priority fusion with the model of a processor; the types of the model must be static.
NodeGroups priority_groups(const Model& model);

}  // namespace hone::native
