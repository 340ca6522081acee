#include "run/native/depthwise_convolution.h"

#include <fmt/format.h>

#include <cstring>

#include "graph/ops/evaluate.h"
#include "run/native/channel_constants.h"
#include "run/native/epilogue.h"
#include "run/native/window_step.h"

namespace hone::native {
namespace {

/// As convolutions lie.
LoopView depthwise_view(const Lowering& lowering, const Dims& dims) {
  return lowering.options().layout == ConvolutionLayout::blocks ? blocked_view(ElementType::float32, dims)
                                                                : channels_last_view(ElementType::float32, dims);
}

/// By block of channels: what sums begin with, then weights.
std::vector<ChannelBlock> depthwise_constants(const WindowShape& shape, const Tensor& weights,
                                              const ChannelConstants& constants) {
  const std::int64_t taps = shape.down.taps * shape.along.taps;
  std::vector<ChannelBlock> packed(static_cast<std::size_t>(shape.blocks() * (1 + taps)));
  for (std::int64_t channel = 0; channel < shape.channels; ++channel) {
    ChannelBlock* const own = packed.data() + channel / kProductBlock * (1 + taps);
    const auto lane = static_cast<std::size_t>(channel % kProductBlock);
    const auto at = static_cast<std::size_t>(channel);
    const float factor = constants.factors.empty() ? 1 : constants.factors[at];
    if (!constants.bias.empty()) own->of[lane] = constants.bias[at];
    for (std::int64_t tap = 0; tap < taps; ++tap)
      own[1 + tap].of[lane] = factor * weights.values<float>()[static_cast<std::size_t>(channel * taps + tap)];
  }
  return packed;
}

}  // namespace

bool lower_depthwise_convolution(Lowering& lowering, NodeId id) {
  const Node& node = lowering.graph().node(id);
  const Dims from_dims = lowering.dims(node.inputs[0]), to_dims = lowering.dims(node.outputs[0]);
  const Dims weight_dims = lowering.dims(node.inputs[1]);
  const Definition definition = definition_of(node, lowering.model().opsets);
  const NodeReader reader(*definition.entry, node, definition.version);
  if (reader.integer("group") != from_dims[1] || to_dims[1] != from_dims[1] || element_count(to_dims) == 0)
    return false;
  const std::vector<std::int64_t> sizes(weight_dims.begin() + 2, weight_dims.end());
  const Window window = read_window(reader, sizes).padded_for(std::span(from_dims.begin() + 2, from_dims.end()));
  const LoopView wanted = depthwise_view(lowering, from_dims), target = depthwise_view(lowering, to_dims);
  if (!WindowShape::of(WindowWork::weighted_sum, window, wanted, target)) return false;

  Stored from = lowering.stored(node.inputs[0]);
  if (!WindowShape::of(WindowWork::weighted_sum, window, from.view, target))
    from = lowering.laid_out(node.inputs[0], wanted);
  const ChannelConstants constants = take_channel_constants(lowering, id);
  Following following = following_of(lowering, constants.result, target);
  const std::int64_t place = target.strides.back(), block = target.has_blocks ? target.strides[1] : LoopView::kBlock;
  auto finishes = product_finishes(following.steps, place, block);
  for (; !finishes; finishes = product_finishes(following.steps, place, block)) following.drop_last();
  following.mark_done(lowering);
  const Stored to = lowering.allocate_evenly(following.result(), target);
  const WindowShape shape = *WindowShape::of(WindowWork::weighted_sum, window, from.view, to.view);
  lowering.add_step(
      std::make_unique<WindowStep>(shape, from.place(), to.place(),
                                   depthwise_constants(shape, lowering.elements(node.inputs[1]), constants),
                                   std::move(*finishes), target.strides[0]),
      id, fmt::format("window Conv{}", following.text(lowering.graph())));
  return true;
}

}  // namespace hone::native
