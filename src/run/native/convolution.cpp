#include <fmt/format.h>

#include <algorithm>

#include "graph/ops/evaluate.h"
#include "graph/ops/window.h"
#include "run/native/channel_constants.h"
#include "run/native/depthwise_convolution.h"
#include "run/native/epilogue.h"
#include "run/native/line_convolution.h"
#include "run/native/lowering.h"
#include "run/native/onednn.h"
#include "run/native/plain_convolution.h"
#include "run/native/pointwise_convolution.h"

// Convolutions through oneDNN, weights packed once.

namespace hone::native {
namespace {

using LayoutDims = dnnl::memory::dims;

/// A convolution in oneDNN's terms.
struct ConvolutionShape {
  Dims source, weights, result;
  LayoutDims strides, dilations, pads_begin, pads_end;
  std::int64_t groups = 1;
  bool has_unit_axis = false;  // an axis of one element was put before the last one

  LayoutDims weight_dims() const {
    LayoutDims dims(weights.begin(), weights.end());
    if (groups > 1) {
      dims[0] /= groups;
      dims.insert(dims.begin(), groups);
    }
    return dims;
  }
};

/// oneDNN has better code for planes than for lines where every channel is by itself.
void add_unit_axis(ConvolutionShape& shape) {
  for (Dims* dims : {&shape.source, &shape.weights, &shape.result}) *dims = {(*dims)[0], (*dims)[1], 1, (*dims)[2]};
  shape.strides.insert(shape.strides.begin(), 1);
  for (LayoutDims* dims : {&shape.dilations, &shape.pads_begin, &shape.pads_end}) dims->insert(dims->begin(), 0);
  shape.has_unit_axis = true;
}

std::optional<ConvolutionShape> shape_of(const Lowering& lowering, NodeId id) {
  const Node& node = lowering.graph().node(id);
  const Definition definition = definition_of(node, lowering.model().opsets);
  ConvolutionShape shape{.source = lowering.dims(node.inputs[0]),
                         .weights = lowering.dims(node.inputs[1]),
                         .result = lowering.dims(node.outputs[0])};
  if (shape.source.size() < 3 || shape.source.size() > 5 || element_count(shape.result) == 0) return std::nullopt;
  const NodeReader reader(*definition.entry, node, definition.version);
  const std::span spatial(shape.source.begin() + 2, shape.source.end());
  const std::vector<std::int64_t> sizes(shape.weights.begin() + 2, shape.weights.end());
  const Window window = read_window(reader, sizes).padded_for(spatial);
  for (const WindowAxis& axis : window.axes) {
    shape.strides.push_back(axis.stride);
    shape.dilations.push_back(axis.dilation - 1);
    shape.pads_begin.push_back(axis.pad_begin);
    shape.pads_end.push_back(axis.pad_end);
  }
  shape.groups = reader.integer("group");
  if (shape.source.size() == 3 && shape.groups == shape.source[1]) add_unit_axis(shape);
  return shape;
}

/// A view without the axis of one element.
LoopView without_unit_axis(LoopView view) {
  for (Dims* dims : {&view.dims, &view.strides}) *dims = {(*dims)[0], (*dims)[1], (*dims)[3]};
  return view;
}

using Primitive = dnnl::convolution_forward::primitive_desc;

/// Plain, channels last or blocks, as everything around lies.
Layout wanted_layout(const Lowering& lowering, const Dims& dims) {
  const bool blocks = lowering.options().layout == ConvolutionLayout::blocks;
  return *onednn_layout(blocks ? blocked_view(ElementType::float32, dims)
                               : channels_last_view(ElementType::float32, dims));
}

/// A way to compute a convolution.
struct Algorithm {
  dnnl::algorithm kind = dnnl::algorithm::convolution_direct;
  std::string_view code = "";  // part of the name of oneDNN's code for it
};

std::optional<Primitive> primitive_of(const ConvolutionShape& shape, const Layout& source, const Layout& result,
                                      const dnnl::primitive_attr& attributes, const Algorithm& algorithm = {}) {
  const Layout weights(shape.weight_dims(), kReal, dnnl::memory::format_tag::any);
  const Layout bias({shape.result[1]}, kReal, dnnl::memory::format_tag::x);
  try {
    const dnnl::convolution_forward::desc description(dnnl::prop_kind::forward_inference, algorithm.kind, source,
                                                      weights, bias, result, shape.strides, shape.dilations,
                                                      shape.pads_begin, shape.pads_end);
    Primitive primitive(description, attributes, onednn_engine());
    while (std::string_view(primitive.impl_info_str()).find(algorithm.code) == std::string_view::npos)
      if (!primitive.next_impl()) return std::nullopt;
    return primitive;
  } catch (const dnnl::error&) {
    return std::nullopt;
  }
}

/// Winograd's algorithms for tiles of four and of two places, the one first that should be faster: larger tiles save
/// multiplications, but have weights of more than twice the size, which come from memory.
std::vector<Algorithm> winograd_algorithms(const ConvolutionShape& shape) {
  const auto nanoseconds = [&](std::int64_t tile) {  // for a channel in and a channel out
    const double elements = static_cast<double>((tile + 2) * (tile + 2));
    double tiles = 1;
    for (std::size_t axis = 2; axis < shape.result.size(); ++axis)
      tiles *= static_cast<double>((shape.result[axis] + tile - 1) / tile);
    return elements * (0.02 * tiles + 0.33);
  };
  const Algorithm two{dnnl::algorithm::convolution_winograd, "wino_2x3"},
      four{dnnl::algorithm::convolution_winograd, "wino_4x3"};
  return nanoseconds(4) < nanoseconds(2) ? std::vector{four, two} : std::vector{two, four};
}

bool is_by_definition(const Primitive& primitive) {
  return std::string_view(primitive.impl_info_str()).find("ref") != std::string_view::npos;
}

/// Few channels are read as they come, where there is code for that.
std::optional<Primitive> chosen_primitive(const Lowering& lowering, const ConvolutionShape& shape,
                                          const dnnl::primitive_attr& attributes) {
  const Layout any(LayoutDims(shape.source.begin(), shape.source.end()), kReal, dnnl::memory::format_tag::any);
  const Layout wanted = wanted_layout(lowering, shape.source), result = wanted_layout(lowering, shape.result);
  const bool few = shape.source[1] < LoopView::kBlock && shape.groups == 1;
  if (lowering.options().layout == ConvolutionLayout::blocks)
    for (const Algorithm& winograd : winograd_algorithms(shape))
      if (auto found = primitive_of(shape, wanted, result, attributes, winograd)) return found;
  auto chosen = primitive_of(shape, few ? any : wanted, result, attributes);
  // Groups that fill no blocks have code for other layouts only.
  for (LoopView (*view)(ElementType, const Dims&) : {channels_last_view, dense_view}) {
    if (chosen && !is_by_definition(*chosen)) break;
    const Layout from = *onednn_layout(view(ElementType::float32, shape.source));
    const Layout to = *onednn_layout(view(ElementType::float32, shape.result));
    if (auto other = primitive_of(shape, from, to, attributes)) chosen = other;
  }
  return chosen;
}

/// With as much of what follows as the same code does in passing; the rest is left to others.
Primitive with_epilogue(const Lowering& lowering, const ConvolutionShape& shape, const Primitive& alone,
                        Following& following) {
  for (; !following.steps.empty(); following.drop_last()) {
    const auto primitive = chosen_primitive(lowering, shape, onednn_attributes(following.steps));
    if (!primitive) continue;
    const bool lies_alike = primitive->src_desc() == alone.src_desc() && primitive->dst_desc() == alone.dst_desc();
    if (lies_alike && std::string_view(primitive->impl_info_str()) == alone.impl_info_str()) return *primitive;
  }
  return alone;
}

/// Through oneDNN: of floats, with constant weights.
bool lower_packed_convolution(Lowering& lowering, NodeId id) {
  const Node& node = lowering.graph().node(id);
  const Tensor* weights = lowering.constant(node.inputs[1]);
  const bool has_bias = node.inputs.size() > 2 && node.inputs[2].valid();
  if (weights == nullptr || weights->type() != ElementType::float32) return false;
  if (has_bias && lowering.constant(node.inputs[2]) == nullptr) return false;
  const auto shape = shape_of(lowering, id);
  if (!shape) return false;
  if (lower_pointwise_convolution(lowering, id) || lower_line_convolution(lowering, id)) return true;
  if (lower_depthwise_convolution(lowering, id)) return true;

  const auto chosen = chosen_primitive(lowering, *shape, onednn_attributes({}));
  if (!chosen) return false;
  const Primitive& alone = *chosen;
  auto source = view_of_layout(alone.src_desc(), shape->source),
       target = view_of_layout(alone.dst_desc(), shape->result);
  if (!source || !target) return false;
  if (shape->has_unit_axis) source = without_unit_axis(*source), target = without_unit_axis(*target);
  const Stored from = lowering.laid_out(node.inputs[0], *source);
  const ChannelConstants constants = take_channel_constants(lowering, id);
  Following following{.first = constants.result, .steps = {}, .nodes = {}, .results = {}};
  if (!shape->has_unit_axis) following = following_of(lowering, constants.result, *target);
  const Primitive primitive = with_epilogue(lowering, *shape, alone, following);
  following.mark_done(lowering);

  const Stored to = lowering.allocate(following.result(), *target);
  std::vector<OneDnnStep::Argument> arguments{{DNNL_ARG_SRC, from.place(), primitive.src_desc()},
                                              {DNNL_ARG_DST, to.place(), primitive.dst_desc()}};
  add_epilogue_arguments(following.steps, arguments);
  LayoutDims dense = shape->weight_dims();
  LayoutDims dense_strides(dense.size(), 1);
  for (std::size_t i = dense.size() - 1; i-- > 0;) dense_strides[i] = dense_strides[i + 1] * dense[i + 1];
  const Layout plain_layout(dense, kReal, dense_strides);
  std::vector<float> bias = constants.bias;
  bias.resize(static_cast<std::size_t>(shape->result[1]), 0);
  std::vector<OneDnnStep::Held> held{
      {DNNL_ARG_WEIGHTS, dnnl::memory(primitive.weights_desc(), onednn_engine())},
      {DNNL_ARG_BIAS, packed(bias.data(), primitive.bias_desc(), primitive.bias_desc())}};
  lowering.pack_later(node.inputs[1],
                      [&lowering, weights = node.inputs[1], constants, plain_layout, memory = held[0].memory] {
                        const Tensor scaled = scaled_weights(lowering.elements(weights), constants);
                        pack(scaled.bytes().data(), plain_layout, memory);
                      });
  lowering.add_step(std::make_unique<OneDnnStep>(dnnl::convolution_forward(primitive), primitive.scratchpad_desc(),
                                                 std::move(arguments), std::move(held)),
                    id, fmt::format("{} Conv{}", primitive.impl_info_str(), following.text(lowering.graph())));
  return true;
}

bool lower_convolution(Lowering& lowering, NodeId id) {
  return lower_packed_convolution(lowering, id) || lower_plain_convolution(lowering, id);
}

const LoweringTable convolutions({{"Conv", lower_convolution}});

}  // namespace
}  // namespace hone::native
