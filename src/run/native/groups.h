#pragma once

#include <map>
#include <vector>

#include "graph/ir/model.h"
#include "plan/problem/problem.h"

namespace hone::native {

/// Nodes that share a kernel.
struct NodeGroup {
  std::vector<NodeId> nodes;   // in topological order, copies among them
  std::vector<NodeId> copies;  // computed here once more, and stored elsewhere or nowhere
  GroupId number;              // in its plan; none without one
  std::uint32_t lane = 0;      // groups of one lane run one after another, those of several side by side
};

/// Groups in the order in which they run.
using NodeGroups = std::vector<NodeGroup>;

/// Every node by itself.
NodeGroups single_groups(const Model& model);

/// The groups of a plan for what `lower` makes of the graph, in the order in which the simulator starts them. A device
/// of the plan is a lane.
NodeGroups groups_of_plan(const Graph& graph, const Problem& problem, const Plan& plan);

/// Has what took the place of a node belong to the groups that the node was in.
void replace_nodes(NodeGroups& groups, const std::map<NodeId, std::vector<NodeId>>& replaced);

}  // namespace hone::native
