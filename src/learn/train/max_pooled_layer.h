#pragma once

#include "learn/train/neighbours.h"

namespace hone::learn {

/// The arrays of a layer of GraphSAGE with max pooling.
struct MaxPooledWeights {
  torch::Tensor neighbour, neighbour_bias;  // of what nodes send
  torch::Tensor self, bias;
  torch::Tensor pooled;
};

/// ReLU of the sum of a node's own row and the maximum of what its neighbours send, each through its weights; they send
/// ReLU of their rows through weights. On the CPU only, as one function of autograd: maxima are taken and gradients
/// collected for some rows just before they are multiplied, and gradients of rows are added up where they lie.
torch::Tensor max_pooled_layer(const torch::Tensor& rows, const Adjacency& edges, const MaxPooledWeights& weights);

}  // namespace hone::learn
