#pragma once

#include <functional>

#include "graph/ir/graph.h"

namespace hone {

/// Lets `change` edit a copy of every body of control flow that a node of the graph holds (not deeper), and puts the
/// copy in the body's place when `change` says it changed something. Captures nobody reads any more are dropped, on
/// both sides. Returns the number of bodies changed.
std::size_t change_bodies(Graph& graph, const std::function<bool(Graph&)>& change);

}  // namespace hone
