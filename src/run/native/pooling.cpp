#include <fmt/format.h>

#include "graph/ops/evaluate.h"
#include "graph/ops/window.h"
#include "run/native/lowering.h"
#include "run/native/onednn.h"
#include "run/native/plain_pooling.h"
#include "run/native/window_step.h"

// Pooling by own code, or through oneDNN.

namespace hone::native {
namespace {

/// By own code; false where there is none for the window.
bool lower_window_pooling(Lowering& lowering, NodeId id, const WindowShape& wanted, const Window& window,
                          const Stored& from) {
  const Node& node = lowering.graph().node(id);
  const LoopView target = blocked_view(from.view.element, lowering.dims(node.outputs[0]));
  if (!WindowShape::of(wanted.work, window, from.view, target)) return false;
  const Stored to = lowering.allocate(node.outputs[0], target);
  WindowShape shape = *WindowShape::of(wanted.work, window, from.view, to.view);
  shape.counts_padding = wanted.counts_padding;
  lowering.add_step(std::make_unique<WindowStep>(shape, from.place(), to.place()), id, "window " + node.op->name);
  return true;
}

bool lower_fast_pooling(Lowering& lowering, NodeId id) {
  const Node& node = lowering.graph().node(id);
  const Dims from_dims = lowering.dims(node.inputs[0]), to_dims = lowering.dims(node.outputs[0]);
  if (lowering.graph().value(node.outputs[0]).type.element != ElementType::float32) return false;
  const bool gives_indices = node.outputs.size() > 1 && node.outputs[1].valid();
  if (gives_indices || from_dims.size() < 3 || from_dims.size() > 5 || element_count(to_dims) == 0) return false;
  const Definition definition = definition_of(node, lowering.model().opsets);
  const NodeReader reader(*definition.entry, node, definition.version);
  const auto sizes = kernel_shape(reader);
  if (!sizes) return false;
  const Window window = read_window(reader, *sizes).padded_for(std::span(from_dims.begin() + 2, from_dims.end()));
  dnnl::memory::dims kernel, strides, dilations, begin, end;
  for (std::size_t i = 0; i < window.axes.size(); ++i) {
    const WindowAxis& axis = window.axes[i];
    // A last window that reaches over the end sees less than a whole one: oneDNN would count what is not there.
    const std::int64_t reach = (to_dims[i + 2] - 1) * axis.stride + axis.extent();
    const std::int64_t over = reach - from_dims[i + 2] - axis.pad_begin;
    if (over > axis.pad_end && node.op->is("AveragePool")) return false;
    kernel.push_back(axis.size);
    strides.push_back(axis.stride);
    dilations.push_back(axis.dilation - 1);
    begin.push_back(axis.pad_begin);
    end.push_back(over);
  }
  const bool counts_padding =
      node.op->is("AveragePool") && reader.version() >= 7 && reader.integer("count_include_pad") != 0;
  const dnnl::algorithm algorithm = node.op->is("MaxPool") ? dnnl::algorithm::pooling_max
                                    : counts_padding       ? dnnl::algorithm::pooling_avg_include_padding
                                                           : dnnl::algorithm::pooling_avg_exclude_padding;
  const LoopView there = lowering.stored(node.inputs[0]).view;
  const bool last = !there.has_blocks && lowering.options().layout == ConvolutionLayout::channels_last;
  const LoopView source = last ? channels_last_view(there.element, from_dims) : blocked_view(there.element, from_dims);
  const LoopView target = last ? channels_last_view(there.element, to_dims) : blocked_view(there.element, to_dims);
  const Stored from = lowering.laid_out(node.inputs[0], source);
  const WindowShape own{.work = node.op->is("MaxPool") ? WindowWork::largest : WindowWork::mean,
                        .counts_padding = counts_padding};
  // With channels last oneDNN is as fast or faster.
  if (!last && lower_window_pooling(lowering, id, own, window, from)) return true;
  const dnnl::pooling_v2_forward::desc description(dnnl::prop_kind::forward_inference, algorithm,
                                                   *onednn_layout(source), *onednn_layout(target), strides, kernel,
                                                   dilations, begin, end);
  dnnl::pooling_v2_forward::primitive_desc primitive;
  try {
    primitive = {description, onednn_attributes({}), onednn_engine()};
  } catch (const dnnl::error&) {
    return false;
  }
  const Stored to = lowering.allocate(node.outputs[0], target);
  lowering.add_step(
      std::make_unique<OneDnnStep>(dnnl::pooling_v2_forward(primitive), primitive.scratchpad_desc(),
                                   std::vector<OneDnnStep::Argument>{{DNNL_ARG_SRC, from.place(), primitive.src_desc()},
                                                                     {DNNL_ARG_DST, to.place(), primitive.dst_desc()}},
                                   std::vector<OneDnnStep::Held>{}),
      id, fmt::format("{} {}", primitive.impl_info_str(), node.op->name));
  return true;
}

bool lower_pooling(Lowering& lowering, NodeId id) {
  return lower_fast_pooling(lowering, id) || lower_plain_pooling(lowering, id);
}

const LoweringTable poolings({{"MaxPool", lower_pooling}, {"AveragePool", lower_pooling}});

}  // namespace
}  // namespace hone::native
