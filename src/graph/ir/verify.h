#pragma once

#include <optional>
#include <string>

#include "graph/ir/model.h"

namespace hone {

/// One sentence about the first promise of Graph that does not hold, naming the node or value; nullopt when all hold.
///
/// Checked with no regard for speed beyond being linear, and with nothing but Graph's reading methods: every value read
/// is defined, users mirror inputs, producers and slots agree, no cycle, bodies and captured inputs match, constants
/// have the type of their elements, names are unique and bodies do not shadow the names around them.
std::optional<std::string> verify(const Graph& graph);

/// The same for the graph and every function of a model.
std::optional<std::string> verify(const Model& model);

}  // namespace hone
