#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "learn/torch.h"

namespace hone::learn {

/// The edges of a graph, or of many side by side, sorted from both ends: for every node where its neighbours begin, and
/// the neighbours, one node after another. All tensors are of 32-bit integers.
struct Adjacency {
  torch::Tensor in_begin, in;    // where edges come from
  torch::Tensor out_begin, out;  // where they go to

  std::int64_t nodes() const { return in_begin.numel() - 1; }
  /// The same edges turned round.
  Adjacency reversed() const { return {out_begin, out, in_begin, in}; }
};

/// Edges as pairs from, to. Edges that stand there twice count twice.
Adjacency make_adjacency(std::size_t nodes, std::span<const std::pair<std::int32_t, std::int32_t>> edges);

/// What becomes of the rows of neighbours on their way into one.
enum class Pool { sum, mean, max };

/// For every node the sum, mean or maximum of the rows of `values` of the nodes its edges come from; zero where there
/// are none. Rows are read where they lie: nothing of the size of the edges is ever made. Gradients go back along the
/// sorted edges as well, so that no two threads write the same row.
torch::Tensor pool_neighbours(const torch::Tensor& values, const Adjacency& edges, Pool pool);

}  // namespace hone::learn
