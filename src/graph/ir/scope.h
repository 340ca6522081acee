#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "graph/ir/graph.h"

namespace hone {

/// A body of control flow together with the outer values its captures stand for.
struct HeldBody {
  const Graph* graph = nullptr;
  std::span<const ValueId> captured;  // one for each capture of the body
};

/// How many captures the bodies in a node's attributes have altogether; in a valid graph that is the node's `captured`.
std::size_t capture_count(const Attributes& attributes);

/// The bodies in a node's attributes, in order, with the captured inputs that belong to each.
std::vector<HeldBody> bodies_of(const Attributes& attributes, std::span<const ValueId> captured);
inline std::vector<HeldBody> bodies_of(const Node& node) { return bodies_of(*node.attributes, node.captured_inputs()); }

/// The name of every value as written inside the graph: a capture goes by the name its outer value has there.
std::vector<std::string_view> scoped_names(const Graph& graph, std::span<const std::string_view> captured = {});

/// The scoped names inside a body, given those of the graph that holds it.
std::vector<std::string_view> scoped_names(const HeldBody& body, std::span<const std::string_view> outer);

}  // namespace hone
