#pragma once

#include <vector>

#include "run/native/lowering.h"

namespace hone::native {

/// What a convolution's weights are multiplied with and what is added to its result, one number a channel: its bias,
/// and the products and sums with constants that follow it, as normalisations by given statistics are.
struct ChannelConstants {
  ValueId result;              // of what is taken in last
  std::vector<float> factors;  // empty where weights stay as they are
  std::vector<float> bias;     // empty where nothing is added

  const float* factor_elements() const { return factors.empty() ? nullptr : factors.data(); }
  const float* bias_elements() const { return bias.empty() ? nullptr : bias.data(); }
};

/// Takes them from whoever would have computed what follows.
ChannelConstants take_channel_constants(Lowering& lowering, NodeId convolution);

/// Weights whose first axis is that of the channels, each multiplied with its factor.
Tensor scaled_weights(const Tensor& weights, const ChannelConstants& constants);

}  // namespace hone::native
