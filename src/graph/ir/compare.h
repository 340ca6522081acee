#pragma once

#include "graph/ir/model.h"

namespace hone {

/// True when the two graphs read the same in every respect a file keeps: names, order, types that are spelled out,
/// constants, attributes and notes. Ids, inferred types and the order of captures do not matter.
bool same_graph(const Graph& a, const Graph& b);

/// The same for whole models; where they came from does not matter.
bool same_model(const Model& a, const Model& b);

/// True when two graphs compute the same by construction: the same operators in the same order, wired alike, with the
/// same constants and types of inputs. Names do not matter. Captures correspond by position.
bool same_structure(const Graph& a, const Graph& b);

/// True when two nodes of one graph apply the same operator with the same attributes to the same values.
bool same_computation(const Node& a, const Node& b);

}  // namespace hone
