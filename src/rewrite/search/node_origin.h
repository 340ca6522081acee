#pragma once

#include <string>
#include <vector>

#include "graph/ir/model.h"

namespace hone {

/// Where a node of a delivered model comes from.
struct Origin {
  std::string node;               // its name
  std::string rule;               // that made it, as `hone rules list` names it; empty for a node of the original
  std::vector<std::string> from;  // names of the original nodes it stands for
};

/// Names of the original nodes that a node stands for: itself, unless a rule made it.
std::vector<std::string> original_names(const Graph& graph, NodeId id);

/// Notes that a rule made this node out of the original nodes named.
void note_origin(Graph& graph, NodeId id, const std::string& rule, const std::vector<std::string>& from);

/// Origins of all nodes that rules made, in file order.
std::vector<Origin> made_by_rules(const Graph& graph);

/// Takes the notes of origins away again, for files whose version has no metadata of nodes.
void drop_origins(Graph& graph);

}  // namespace hone
