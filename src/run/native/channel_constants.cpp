#include "run/native/channel_constants.h"

namespace hone::native {
namespace {

/// A constant that has one number a channel, or one for all of them.
std::optional<std::vector<float>> numbers_by_channel(const Tensor& constant, const Dims& dims) {
  if (constant.type() != ElementType::float32 || constant.rank() > dims.size()) return std::nullopt;
  const auto channels = static_cast<std::size_t>(dims[1]);
  const std::size_t left_out = dims.size() - constant.rank();  // of the first axes
  const bool has_channels = left_out <= 1 && constant.dim(1 - left_out) == dims[1] && constant.count() == channels;
  if (constant.count() != 1 && !has_channels) return std::nullopt;
  std::vector<float> numbers(channels);
  for (std::size_t channel = 0; channel < channels; ++channel)
    numbers[channel] = static_cast<float>(constant.number_at(constant.count() == 1 ? 0 : channel));
  return numbers;
}

/// The numbers of an operator with two inputs of which the other is `result`.
std::optional<std::vector<float>> numbers_beside(const Lowering& lowering, const Node& node, ValueId result) {
  if (!node.op->domain.empty() || node.inputs.size() != 2) return std::nullopt;
  const Tensor* const other = lowering.constant(node.inputs[0] == result ? node.inputs[1] : node.inputs[0]);
  return other == nullptr ? std::nullopt : numbers_by_channel(*other, lowering.dims(result));
}

}  // namespace

ChannelConstants take_channel_constants(Lowering& lowering, NodeId convolution) {
  const Node& node = lowering.graph().node(convolution);
  ChannelConstants constants{.result = node.outputs[0], .factors = {}, .bias = {}};
  if (node.inputs.size() > 2 && node.inputs[2].valid()) {
    const Tensor bias = lowering.elements(node.inputs[2]);
    constants.bias.assign(bias.values<float>().begin(), bias.values<float>().end());
  }
  if (lowering.options().epilogues == Epilogues::apart) return constants;
  const auto channels = static_cast<std::size_t>(lowering.dims(constants.result)[1]);
  for (;;) {
    const auto reader = lowering.only_reader(constants.result);
    if (!reader) return constants;
    const Node& next = lowering.graph().node(*reader);
    const auto numbers = numbers_beside(lowering, next, constants.result);
    if (!numbers) return constants;
    if (next.op->is("Mul")) {
      constants.factors.resize(channels, 1);
      for (std::size_t channel = 0; channel < channels; ++channel) {
        constants.factors[channel] *= (*numbers)[channel];
        if (!constants.bias.empty()) constants.bias[channel] *= (*numbers)[channel];
      }
    } else if (next.op->is("Add")) {
      constants.bias.resize(channels, 0);
      for (std::size_t channel = 0; channel < channels; ++channel) constants.bias[channel] += (*numbers)[channel];
    } else {
      return constants;
    }
    lowering.mark_done(*reader);
    constants.result = next.outputs[0];
  }
}

Tensor scaled_weights(const Tensor& weights, const ChannelConstants& constants) {
  if (constants.factors.empty()) return weights;
  Tensor scaled = Tensor::of<float>(weights.values<float>(), weights.dims());
  const auto elements = scaled.write<float>();
  const std::size_t a_channel = elements.size() / constants.factors.size();
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] *= constants.factors[i / a_channel];
  return scaled;
}

}  // namespace hone::native
