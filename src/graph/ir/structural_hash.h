#pragma once

#include <cstdint>

#include "graph/ir/graph.h"

namespace hone {

/// A fingerprint of what a graph computes and how it is built, the same on every machine and run.
///
/// Names, ids, notes and the order of nodes and attributes do not matter. Operators, attributes (floats by their bits),
/// wiring, the order of inputs and outputs, types of inputs, contents of constants, bodies and what they capture do; so
/// does whether two readers share one node or have a copy each. Throws InputError for a graph with a cycle.
std::uint64_t structural_hash(const Graph& graph);

}  // namespace hone
