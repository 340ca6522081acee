#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "learn/train/torch.h"

namespace hone::learn {

/// The edges of a graph, or of many side by side, sorted from both ends: for every node where its neighbours begin, and
/// the neighbours, one node after another. All tensors are of 32-bit integers.
struct Adjacency {
  torch::Tensor in_begin, in;    // where edges come from
  torch::Tensor out_begin, out;  // where they go to
  torch::Tensor in_place;        // by edge as it stands in `in`: its place in `out`
  torch::Tensor out_place;       // by edge as it stands in `out`: its place in `in`

  std::int64_t nodes() const { return in_begin.numel() - 1; }
  std::int64_t edges() const { return in.numel(); }
  /// The same edges turned round.
  Adjacency reversed() const { return {out_begin, out, in_begin, in, out_place, in_place}; }
  Adjacency to(const torch::Device& device) const;
};

/// Edges as pairs from, to. Edges that stand there twice count twice.
Adjacency make_adjacency(std::size_t nodes, std::span<const std::pair<std::int32_t, std::int32_t>> edges);

/// What becomes of the rows of neighbours on their way into one.
enum class Pool { sum, mean, max };

/// For every node the sum, mean or maximum of the rows of `values` of the nodes its edges come from; zero where there
/// are none. On the CPU rows are read where they lie: nothing of the size of the edges is ever made. Gradients go back
/// along the sorted edges as well, so that no two threads write the same row; that of a maximum goes to the first of
/// those that have it.
torch::Tensor pool_neighbours(const torch::Tensor& values, const Adjacency& edges, Pool pool);

/// For every node the sum of the rows of the nodes its edges come from, each times the share of its edge; `shares` in
/// the order of `edges.in`.
torch::Tensor pool_shares(const torch::Tensor& values, const torch::Tensor& shares, const Adjacency& edges);

/// Scores of edges, in the order of `edges.in`, become shares that sum up to one over the edges of each node.
torch::Tensor share_out(const torch::Tensor& scores, const Adjacency& edges);

/// For every edge, in the order of `edges.in`, the node it comes from, and the one it goes to: 64-bit integers.
torch::Tensor sources_of(const Adjacency& edges);
torch::Tensor targets_of(const Adjacency& edges);

}  // namespace hone::learn
