#pragma once

#include "learn/train/combine.h"
#include "learn/train/neighbours.h"

namespace hone::learn {

/// A linear map with a bias, by its arrays.
struct Linear {
  torch::Tensor weight, bias;

  Linear(std::int64_t inputs, std::int64_t outputs);
  torch::Tensor operator()(const torch::Tensor& rows, Activation activation = Activation::none) const;
};

using Tensors = std::vector<torch::Tensor>;

/// Hamilton, Ying, Leskovec, "Inductive representation learning on large graphs", 2017: the row of a node and what
/// comes of those of its neighbours, next to each other, through a linear map. With max pooling rows are mapped before
/// they are pooled, once for every node and not for every edge.
class GraphSage {
 public:
  GraphSage(std::int64_t inputs, std::int64_t outputs, Pool pool);
  torch::Tensor forward(const torch::Tensor& rows, const Adjacency& edges) const;
  Tensors parameters() const;

 private:
  Pool pool_;
  Linear neighbour_, self_;
  torch::Tensor pooled_;
};

/// Battaglia et al., "Relational inductive biases, deep learning, and graph networks", 2018, as REGAL uses it: messages
/// of both ends and the edge's own features, summed up in both directions, change the row of a node.
class MessagePassing {
 public:
  MessagePassing(std::int64_t width, std::int64_t edge_features);
  /// `edge_rows`: features of edges in the order of `edges.in`.
  torch::Tensor forward(const torch::Tensor& rows, const Adjacency& edges, const torch::Tensor& edge_rows) const;
  Tensors parameters() const;

 private:
  Linear from_, edge_, back_, update_;
  torch::Tensor received_;
};

/// Velickovic et al., "Graph attention networks", 2018, with features of edges: a node takes from its neighbours by
/// shares that depend on both ends and on the edge.
class GraphAttention {
 public:
  GraphAttention(std::int64_t inputs, std::int64_t outputs, std::int64_t edge_features);
  torch::Tensor forward(const torch::Tensor& rows, const Adjacency& edges, const torch::Tensor& edge_rows) const;
  Tensors parameters() const;

 private:
  Linear value_, edge_;
  torch::Tensor to_, from_;
};

/// Every node attends to all nodes of its own segment of consecutive rows and of the one before (GO's transformer).
class SegmentAttention {
 public:
  SegmentAttention(std::int64_t width, std::int64_t segment);
  torch::Tensor forward(const torch::Tensor& rows) const;
  Tensors parameters() const;

 private:
  std::int64_t segment_;
  Linear query_, key_, value_;
};

}  // namespace hone::learn
