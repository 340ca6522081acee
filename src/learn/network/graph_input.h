#pragma once

#include <cstdint>
#include <span>

namespace hone {

/// The edges of a graph, listed from both ends. Lists of a node lie between its entry of `begin` and the next one.
struct NodeEdges {
  std::span<const std::uint32_t> in_begin, in;    // by the node that edges go to: where they come from
  std::span<const std::uint32_t> out_begin, out;  // by the node that they come from: where they go to

  std::span<const std::uint32_t> into(std::size_t node) const {
    return in.subspan(in_begin[node], in_begin[node + 1] - in_begin[node]);
  }
  std::span<const std::uint32_t> out_of(std::size_t node) const {
    return out.subspan(out_begin[node], out_begin[node + 1] - out_begin[node]);
  }
};

/// What a network is evaluated on. Nothing is copied: what it looks at must outlive it.
struct GraphInput {
  std::size_t nodes = 0;
  std::span<const float> rows;  // of features, one a node
  NodeEdges edges;
  std::span<const float> edge_rows;         // of features, one an edge in the order of `edges.in`; may be empty
  std::span<const std::uint32_t> sequence;  // all nodes, in the order in which they are read as a sequence
};

}  // namespace hone
