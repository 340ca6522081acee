#include "run/native/pointwise_convolution.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/ops/evaluate.h"
#include "graph/ops/window.h"
#include "run/native/channel_constants.h"
#include "run/native/epilogue.h"
#include "run/native/product_step.h"

namespace hone::native {
namespace {

bool sees_one_place(const Lowering& lowering, const Node& node) {
  const Dims source = lowering.dims(node.inputs[0]), weights = lowering.dims(node.inputs[1]);
  if (source.size() < 3 || source[0] != 1 || element_count(weights) != weights[0] * source[1]) return false;
  const Definition definition = definition_of(node, lowering.model().opsets);
  const NodeReader reader(*definition.entry, node, definition.version);
  const std::vector<std::int64_t> sizes(weights.begin() + 2, weights.end());
  const Window window = read_window(reader, sizes).padded_for(std::span(source.begin() + 2, source.end()));
  return std::ranges::all_of(
      window.axes, [](const WindowAxis& axis) { return axis.stride == 1 && axis.pad_begin == 0 && axis.pad_end == 0; });
}

/// How places and blocks of channels of a tensor follow one another.
struct PlaceStrides {
  std::int64_t place = 0, block = 0;
};

/// Nothing where places do not follow one another evenly, or channels not side by side.
std::optional<PlaceStrides> place_strides(const LoopView& view) {
  const std::size_t rank = view.dims.size();
  if (!view.has_blocks && view.dims[1] > 1 && view.strides[1] != 1) return std::nullopt;
  std::int64_t place = 0, expected = 0;
  for (std::size_t axis = rank; axis-- > 2;) {
    if (view.dims[axis] == 1) continue;
    if (place == 0) place = expected = view.strides[axis];
    if (view.strides[axis] != expected) return std::nullopt;
    expected *= view.dims[axis];
  }
  return PlaceStrides{.place = place, .block = view.has_blocks ? view.strides[1] : LoopView::kBlock};
}

/// The source as it lies, or a copy that lies as convolutions do.
Stored source_of(Lowering& lowering, ValueId id, const LoopView& wanted) {
  const Stored there = lowering.stored(id);
  const bool as_wanted = there.view.has_blocks == wanted.has_blocks && place_strides(there.view);
  return as_wanted ? there : lowering.laid_out(id, wanted);
}

}  // namespace

bool lower_pointwise_convolution(Lowering& lowering, NodeId id) {
  const Node& node = lowering.graph().node(id);
  if (!PackedProduct::is_available() || !sees_one_place(lowering, node)) return false;
  const Dims from_dims = lowering.dims(node.inputs[0]), to_dims = lowering.dims(node.outputs[0]);
  const auto view_of = [&](const Dims& dims) {
    return lowering.options().layout == ConvolutionLayout::blocks ? blocked_view(ElementType::float32, dims)
                                                                  : channels_last_view(ElementType::float32, dims);
  };
  const LoopView target = view_of(to_dims);
  const Stored from = source_of(lowering, node.inputs[0], view_of(from_dims));
  const PlaceStrides source = *place_strides(from.view);
  const ChannelConstants constants = take_channel_constants(lowering, id);
  Following following = following_of(lowering, constants.result, target);
  const PlaceStrides added = *place_strides(target);
  auto finishes = product_finishes(following.steps, added.place, added.block);
  for (; !finishes; finishes = product_finishes(following.steps, added.place, added.block)) following.drop_last();
  following.mark_done(lowering);
  const Stored to = lowering.allocate_evenly(following.result(), target);
  const PlaceStrides result = *place_strides(to.view);

  const std::byte* const elements = lowering.constant(node.inputs[1])->bytes().data();
  auto product = std::make_shared<PackedProduct>(PackedProduct::Shape{.rows = element_count(to_dims) / to_dims[1],
                                                                      .depth = from_dims[1],
                                                                      .columns = to_dims[1],
                                                                      .a_row = source.place,
                                                                      .a_block = source.block,
                                                                      .c_row = result.place,
                                                                      .c_block = result.block,
                                                                      .fills_blocks = to.view.has_blocks});
  lowering.pack_later(node.inputs[1], [product, elements, constants] {
    product->pack({.elements = elements,
                   .depth_stride = 1,
                   .column_stride = product->shape().depth,
                   .factors = constants.factor_elements(),
                   .bias = constants.bias_elements()});
  });
  lowering.add_step(std::make_unique<ProductStep>(std::move(product), from.place(), to.place(), std::move(*finishes)),
                    id, fmt::format("product Conv{}", following.text(lowering.graph())));
  return true;
}

}  // namespace hone::native
