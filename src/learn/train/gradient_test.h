#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "learn/train/torch.h"

namespace hone::learn {

using Tensors = std::vector<torch::Tensor>;

/// For tests: compares the gradient of a weighted sum of results with differences, entry by entry.
inline void expect_gradient(const std::string& name, const Tensors& inputs,
                            const std::function<torch::Tensor()>& result) {
  const torch::Tensor weight = torch::randn_like(result()).detach();
  const auto loss = [&] { return (result() * weight).sum(); };
  const Tensors gradients = torch::autograd::grad({loss()}, inputs);
  const torch::NoGradGuard no_gradient;
  constexpr double kStep = 1e-6;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    double* value = inputs[k].data_ptr<double>();
    const torch::Tensor gradient = gradients[k].contiguous();
    for (std::int64_t i = 0; i < inputs[k].numel(); ++i) {
      const double before = value[i];
      value[i] = before + kStep;
      const double up = loss().item<double>();
      value[i] = before - kStep;
      const double down = loss().item<double>();
      value[i] = before;
      ASSERT_NEAR(gradient.data_ptr<double>()[i], (up - down) / (2 * kStep), 1e-6)
          << name << ": entry " << i << " of input " << k;
    }
  }
}

}  // namespace hone::learn
