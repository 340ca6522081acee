#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace hone {

/// What becomes of every number at the end of a layer.
enum class Activation : std::uint8_t { none, relu, tanh, sigmoid };

inline float sigmoid(float value) { return 1 / (1 + std::exp(-value)); }

inline void activate(std::span<float> values, Activation activation) {
  const auto apply = [&](auto function) { std::ranges::transform(values, values.begin(), function); };
  if (activation == Activation::relu) apply([](float value) { return std::max(value, 0.0F); });
  if (activation == Activation::tanh) apply([](float value) { return std::tanh(value); });
  if (activation == Activation::sigmoid) apply(sigmoid);
}

}  // namespace hone
