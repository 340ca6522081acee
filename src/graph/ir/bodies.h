#pragma once

#include <functional>

#include "graph/ir/graph.h"

namespace hone {

/// Edits a copy of a body that a node holds, and says whether it changed something.
using BodyChange = std::function<bool(const Node& holder, Graph& body)>;

/// Lets `change` edit a copy of every body of control flow that a node of the graph holds (not deeper), and puts the
/// copy in the body's place when `change` says it changed something. Captures nobody reads any more are dropped, on
/// both sides. Returns the number of bodies changed.
std::size_t change_bodies(Graph& graph, const BodyChange& change);

}  // namespace hone
