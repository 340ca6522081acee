#pragma once

#include <vector>

#include "learn/network/graph_input.h"
#include "learn/network/safetensors.h"
#include "learn/train/neighbours.h"
#include "learn/train/sequences.h"

namespace hone::learn {

/// Graphs side by side, as one.
struct Batch {
  torch::Tensor features;  // a row a node
  Adjacency edges;
  torch::Tensor edge_rows;                           // a row an edge in the order of `edges.in`; may have no columns
  std::vector<std::int64_t> first;                   // by graph: its first row
  std::vector<std::vector<std::int64_t>> sequences;  // by graph: its rows in their order
  torch::Tensor condition;                           // a row a graph, where layers are conditioned on it

  /// Rows of one graph among rows of all.
  torch::Tensor rows_of(const torch::Tensor& rows, std::size_t graph) const;
  Batch to(const torch::Device& device) const;
};

/// `graphs` must have rows as wide as each other, and so must their edges.
Batch make_batch(std::span<const GraphInput> graphs);

/// Where a network is to be worked on: `cpu` or `cuda`. Throws InputError where there is none.
torch::Device device_named(const std::string& name);

torch::Tensor to_tensor(const NamedArray& array);
NamedArray to_array(const torch::Tensor& tensor);

}  // namespace hone::learn
