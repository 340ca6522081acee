#pragma once

#include <functional>

#include "graph/ir/model.h"

namespace hone {

/// Runs a pass over the bodies of control flow, innermost first, and then over the main graph; returns the sum of what
/// the pass returns, which is the number of its changes. The model keeps its old graph until all of that is done.
std::size_t change_all_graphs(Model& model, const std::function<std::size_t(Graph&)>& pass);

}  // namespace hone
