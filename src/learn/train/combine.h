#pragma once

#include <span>

#include "learn/network/activation.h"
#include "learn/train/torch.h"

namespace hone::learn {

/// Rows and the matrix (outputs by inputs) that they go through.
struct Term {
  torch::Tensor rows, weight;
};

/// Rows through an activation.
torch::Tensor activated(const torch::Tensor& rows, Activation activation);

/// The sum of rows times weights (transposed) of one to three terms, and a bias, through an activation: the dense part
/// of every layer. On the CPU all of it, and all of its gradient, is done to some rows while they are in the cache; the
/// gradient is the same on any number of threads.
torch::Tensor combine(std::span<const Term> terms, const torch::Tensor& bias, Activation activation);

}  // namespace hone::learn
