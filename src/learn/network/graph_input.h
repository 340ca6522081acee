#pragma once

#include <cstdint>
#include <span>

#include "base/flat_lists.h"

namespace hone {

/// The edges of a graph, listed from both ends. An edge is numbered by its place among the edges into all nodes.
struct NodeEdges {
  const FlatLists<std::uint32_t>* in = nullptr;   // by the node that edges go to: where they come from
  const FlatLists<std::uint32_t>* out = nullptr;  // by the node that they come from: where they go to

  std::size_t count() const { return in->items().size(); }
  std::span<const std::uint32_t> into(std::size_t node) const { return (*in)[node]; }
  std::span<const std::uint32_t> out_of(std::size_t node) const { return (*out)[node]; }
  /// The number of the first edge into a node; of the first into the next node where it has none.
  std::uint32_t first_into(std::size_t node) const { return in->begin_of(node); }
};

/// What a network is evaluated on. Nothing is copied: what it looks at must outlive it.
struct GraphInput {
  std::size_t nodes = 0;
  std::span<const float> rows;  // of features, one a node
  NodeEdges edges;
  std::span<const float> edge_rows;         // of features, one an edge; may be empty
  std::span<const std::uint32_t> sequence;  // all nodes, in the order in which they are read as a sequence
  std::span<const float> condition;         // of layers that are conditioned: what is known of the graph as a whole
};

}  // namespace hone
