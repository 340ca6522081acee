#include "graph/ops/transposed_convolution.h"

#include <fmt/format.h>

#include "run/native/direct_step.h"
#include "run/native/lowering.h"
#include "run/native/onednn.h"
#include "run/native/plain_convolution.h"

// Transposed convolutions through oneDNN, weights packed once.

namespace hone::native {
namespace {

using TransposedDims = dnnl::memory::dims;
using TransposedPrimitive = dnnl::deconvolution_forward::primitive_desc;

/// A transposed convolution in oneDNN's terms.
struct TransposedShape {
  Dims source, result;
  TransposedDims weights, weight_strides;  // channels of the result before those of the source
  TransposedDims strides, dilations, pads_begin, pads_end;
};

TransposedShape transposed_shape(const DirectNode& node) {
  TransposedShape shape{.source = node.dims(0), .result = node.output_dims(0)};
  const Dims weights = node.dims(1);
  const std::int64_t groups = node.integer("group"), from = shape.source[1] / groups, to = weights[1];
  const std::span sizes(weights.begin() + 2, weights.end());
  std::int64_t taps = 1;
  for (const std::int64_t size : sizes) taps *= size;
  shape.weights = {to, from};
  shape.weight_strides = {taps, to * taps};
  for (std::int64_t inner = taps; const std::int64_t size : sizes) {
    shape.weights.push_back(size);
    inner /= size;
    shape.weight_strides.push_back(inner);
  }
  if (groups > 1) {
    shape.weights.insert(shape.weights.begin(), groups);
    shape.weight_strides.insert(shape.weight_strides.begin(), from * to * taps);
  }
  Shape x;
  for (const std::int64_t dim : shape.source) x.push_back(dim);
  const Window window = spread_of(node, x, sizes).window;
  for (std::size_t i = 0; i < window.axes.size(); ++i) {
    const WindowAxis& axis = window.axes[i];
    const std::int64_t covered = (shape.source[i + 2] - 1) * axis.stride + (sizes[i] - 1) * axis.dilation + 1;
    shape.strides.push_back(axis.stride);
    shape.dilations.push_back(axis.dilation - 1);
    shape.pads_begin.push_back(axis.pad_begin);
    shape.pads_end.push_back(covered - axis.pad_begin - shape.result[i + 2]);
  }
  return shape;
}

std::optional<TransposedPrimitive> transposed_primitive(const TransposedShape& shape, const Layout& source,
                                                        const Layout& result) {
  const Layout weights(shape.weights, kReal, dnnl::memory::format_tag::any);
  const Layout bias({shape.result[1]}, kReal, dnnl::memory::format_tag::x);
  try {
    const dnnl::deconvolution_forward::desc description(
        dnnl::prop_kind::forward_inference, dnnl::algorithm::deconvolution_direct, source, weights, bias, result,
        shape.strides, shape.dilations, shape.pads_begin, shape.pads_end);
    return TransposedPrimitive(description, onednn_attributes({}), onednn_engine());
  } catch (const dnnl::error&) {
    return std::nullopt;
  }
}

/// Of floats, with constant weights.
bool lower_packed_transposed(Lowering& lowering, NodeId id) {
  const DirectNode node(lowering, id);
  const std::size_t rank = node.dims(0).size();
  if (rank < 3 || rank > 5 || element_count(node.output_dims(0)) == 0 || element_count(node.dims(0)) == 0) return false;
  if (node.element(0) != ElementType::float32 || node.constant(1) == nullptr) return false;
  if (node.has_input(2) && node.constant(2) == nullptr) return false;
  const TransposedShape shape = transposed_shape(node);
  const auto view = [&](const Dims& dims) {
    return lowering.options().layout == ConvolutionLayout::blocks ? blocked_view(ElementType::float32, dims)
                                                                  : channels_last_view(ElementType::float32, dims);
  };
  const LoopView source = view(shape.source), target = view(shape.result);
  const auto primitive = transposed_primitive(shape, *onednn_layout(source), *onednn_layout(target));
  if (!primitive) return false;
  const Graph& graph = lowering.graph();
  const Stored from = lowering.laid_out(graph.node(id).inputs[0], source);
  const Stored to = lowering.allocate(graph.node(id).outputs[0], target);
  const Tensor weights = lowering.elements(graph.node(id).inputs[1]);
  const Tensor bias = node.has_input(2) ? lowering.elements(graph.node(id).inputs[2])
                                        : Tensor::zeros(ElementType::float32, {shape.result[1]});
  std::vector<OneDnnStep::Argument> arguments{{DNNL_ARG_SRC, from.place(), primitive->src_desc()},
                                              {DNNL_ARG_DST, to.place(), primitive->dst_desc()}};
  std::vector<OneDnnStep::Held> held{
      {DNNL_ARG_WEIGHTS,
       packed(weights.bytes().data(), Layout(shape.weights, kReal, shape.weight_strides), primitive->weights_desc())},
      {DNNL_ARG_BIAS, packed(bias.bytes().data(), primitive->bias_desc(), primitive->bias_desc())}};
  lowering.add_step(std::make_unique<OneDnnStep>(dnnl::deconvolution_forward(*primitive), primitive->scratchpad_desc(),
                                                 std::move(arguments), std::move(held)),
                    id, fmt::format("{} ConvTranspose", primitive->impl_info_str()));
  return true;
}

bool lower_transposed(Lowering& lowering, NodeId id) {
  return lower_packed_transposed(lowering, id) || lower_plain_transposed_convolution(lowering, id);
}

const LoweringTable transposed_convolutions({{"ConvTranspose", lower_transposed}});

}  // namespace
}  // namespace hone::native
