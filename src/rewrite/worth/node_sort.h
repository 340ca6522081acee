#pragma once

#include "graph/ir/graph.h"
#include "rewrite/worth/time_parts.h"

namespace hone {

/// The part that a node belongs to by itself, whatever stands around it.
TimePart sort_of(const Graph& graph, const Node& node);

/// The same as far as the operator alone tells: of convolutions and products the usual sort.
TimePart sort_of_operator(const OpName* op);
/// Sorts come first among the parts.
inline constexpr std::size_t kNodeSorts = static_cast<std::size_t>(TimePart::other) + 1;

inline bool is_convolution(TimePart sort) { return sort <= TimePart::depthwise_convolution; }
inline bool is_product(TimePart sort) { return sort == TimePart::weight_product || sort == TimePart::computed_product; }
inline bool is_pointwise(TimePart sort) {
  return sort == TimePart::activation || sort == TimePart::addition || sort == TimePart::arithmetic;
}

}  // namespace hone
