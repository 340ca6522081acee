#include "run/native/line_convolution.h"

#include <fmt/format.h>

#include "graph/ops/evaluate.h"
#include "graph/ops/window.h"
#include "run/native/channel_constants.h"
#include "run/native/copy_step.h"
#include "run/native/epilogue.h"
#include "run/native/fill_step.h"
#include "run/native/onednn.h"
#include "run/native/product_step.h"

namespace hone::native {
namespace {

constexpr std::int64_t kLeastChannels = 32;  // below, products are too thin

/// The weights as a matrix from what a window sees, place by place, to channels out.
Tensor weight_matrix(const Tensor& weights) {
  const std::int64_t out = weights.dim(0), in = weights.dim(1), size = weights.dim(2);
  Tensor matrix = Tensor::zeros(ElementType::float32, {size * in, out});
  const auto from = weights.values<float>();
  const auto to = matrix.write<float>();
  for (std::int64_t o = 0; o < out; ++o)
    for (std::int64_t i = 0; i < in; ++i)
      for (std::int64_t place = 0; place < size; ++place)
        to[static_cast<std::size_t>((place * in + i) * out + o)] =
            from[static_cast<std::size_t>((o * in + i) * size + place)];
  return matrix;
}

/// All windows times the weights.
struct LineProduct {
  std::int64_t positions = 0, seen = 0, out = 0;
  std::int64_t row = 0;  // from window to window, which may overlap
  ValueId weights;
  ChannelConstants constants;
};

std::unique_ptr<Step> packed_windows_step(Lowering& lowering, const LineProduct& product, const Stored& windows,
                                          const Stored& to, std::vector<ProductStep::Finish> finishes) {
  auto packed = std::make_shared<PackedProduct>(PackedProduct::Shape{.rows = product.positions,
                                                                     .depth = product.seen,
                                                                     .columns = product.out,
                                                                     .a_row = product.row,
                                                                     .c_row = product.out});
  lowering.pack_later(product.weights, [&lowering, packed, product] {
    const Tensor matrix = weight_matrix(lowering.elements(product.weights));
    packed->pack({.elements = matrix.bytes().data(),
                  .depth_stride = product.out,
                  .column_stride = 1,
                  .factors = product.constants.factor_elements(),
                  .bias = product.constants.bias_elements()});
  });
  return std::make_unique<ProductStep>(std::move(packed), windows.place(), to.place(), std::move(finishes));
}

std::unique_ptr<Step> onednn_windows_step(const Lowering& lowering, const LineProduct& product, const Stored& windows,
                                          const Stored& to, std::span<const Epilogue> epilogue) {
  const std::int64_t out = product.out, seen = product.seen, positions = product.positions;
  const Layout a({positions, seen}, kReal, {seen, 1}), c({positions, out}, kReal, {out, 1});
  const Layout any({seen, out}, kReal, dnnl::memory::format_tag::any), plain({seen, out}, kReal, {out, 1});
  const Layout bias_layout({1, out}, kReal, {out, 1});
  const float* const bias = product.constants.bias_elements();
  const dnnl::matmul::desc description =
      bias != nullptr ? dnnl::matmul::desc(a, any, bias_layout, c) : dnnl::matmul::desc(a, any, c);
  const dnnl::matmul::primitive_desc primitive(description, onednn_attributes(epilogue), onednn_engine());
  std::vector<OneDnnStep::Argument> arguments{{DNNL_ARG_SRC, windows.place(), a}, {DNNL_ARG_DST, to.place(), c}};
  add_epilogue_arguments(epilogue, arguments);
  const Tensor matrix = weight_matrix(scaled_weights(lowering.elements(product.weights), product.constants));
  std::vector<OneDnnStep::Held> held{
      {DNNL_ARG_WEIGHTS, packed(matrix.bytes().data(), plain, primitive.weights_desc())}};
  if (bias != nullptr) held.push_back({DNNL_ARG_BIAS, packed(bias, bias_layout, bias_layout)});
  return std::make_unique<OneDnnStep>(dnnl::matmul(primitive), primitive.scratchpad_desc(), std::move(arguments),
                                      std::move(held));
}

/// oneDNN pads in passing, but has code and descriptions of it, megabytes of them, for every way in which a window can
/// lie half outside; own products take no longer.
bool suits_padding(const WindowAxis& axis) {
  return axis.pad_begin >= 0 && axis.pad_end >= 0 && PackedProduct::is_available();
}

/// What windows see, with zeros where they reach over the ends; its channels lie side by side, place after place.
Stored padded_source(Lowering& lowering, NodeId id, const Stored& from, const WindowAxis& axis) {
  const std::int64_t in = from.view.dims[1], length = from.view.dims[2];
  const std::int64_t row_bytes = in * from.element_bytes();
  const Dims dims{1, in, axis.pad_begin + length + axis.pad_end};
  const LoopView view = channels_last_view(from.view.element, dims);
  const Stored padded{
      .array = lowering.add_array({.bytes = static_cast<std::size_t>(dims[2] * row_bytes), .constant = {}}),
      .view = view};
  const Tensor zero = Tensor::zeros(from.view.element, {});
  const ArrayPlace zero_place{
      .array = lowering.add_array({.kind = Array::Kind::constant, .bytes = zero.bytes().size(), .constant = zero})};
  const auto fill = [&](std::int64_t first, std::int64_t count) {
    if (count == 0) return;
    lowering.add_step(fill_step({.array = padded.array, .offset_bytes = first * row_bytes},
                                static_cast<std::size_t>(count * row_bytes), zero_place, zero.bytes().size()),
                      id, "fill Conv");
  };
  fill(0, axis.pad_begin);
  fill(axis.pad_begin + length, axis.pad_end);
  Stored middle = padded;
  middle.view.dims[2] = length;
  middle.view.offset += axis.pad_begin * view.strides[2];
  lowering.add_step(copy_step(from, middle), id, "copy Conv");
  return padded;
}

}  // namespace

bool lower_line_convolution(Lowering& lowering, NodeId id) {
  const Node& node = lowering.graph().node(id);
  const Dims source = lowering.dims(node.inputs[0]), result = lowering.dims(node.outputs[0]);
  if (source.size() != 3 || source[0] != 1 || source[1] < kLeastChannels || result[1] < kLeastChannels) return false;
  const Definition definition = definition_of(node, lowering.model().opsets);
  const NodeReader reader(*definition.entry, node, definition.version);
  const std::vector<std::int64_t> sizes{lowering.constant(node.inputs[1])->dim(2)};
  const Window window = read_window(reader, sizes).padded_for(std::span(source.begin() + 2, source.end()));
  const WindowAxis axis = window.axes[0];
  const bool has_padding = axis.pad_begin != 0 || axis.pad_end != 0;
  if (reader.integer("group") != 1 || (has_padding && !suits_padding(axis))) return false;

  const LoopView view = channels_last_view(ElementType::float32, result);
  const Stored from = has_padding ? padded_source(lowering, id, lowering.stored(node.inputs[0]), axis)
                                  : lowering.laid_out(node.inputs[0], channels_last_view(ElementType::float32, source));
  const ChannelConstants constants = take_channel_constants(lowering, id);
  Following following = following_of(lowering, constants.result, view);
  following.mark_done(lowering);
  const Stored to = lowering.allocate(following.result(), view);
  const std::int64_t positions = result[2], in = source[1], out = result[1];
  for (Epilogue& step : following.steps)
    if (step.kind == Epilogue::Kind::add) {
      const std::int64_t offset = step.view.offset;
      step.view = dense_view(step.view.element, {positions, out});
      step.view.offset = offset;
    }
  const std::int64_t seen = axis.size * in;
  Stored windows = from;
  windows.view = {.element = from.view.element,
                  .dims = {positions, axis.size, in},
                  .strides = {axis.stride * in, axis.dilation * in, 1},
                  .offset = from.view.offset};
  auto finishes = product_finishes(following.steps, out, kProductBlock);
  const bool is_own = PackedProduct::is_available() && finishes;
  const bool reads_in_place = axis.dilation == 1 && (is_own || (axis.size == 1 && axis.stride == 1));
  if (!reads_in_place) windows = lowering.copied(windows, dense_view(from.view.element, windows.view.dims), node.name);
  const LineProduct product{.positions = positions,
                            .seen = seen,
                            .out = out,
                            .row = windows.view.strides[0],
                            .weights = node.inputs[1],
                            .constants = constants};
  const std::string text = fmt::format("Conv of windows{}", following.text(lowering.graph()));
  if (is_own)
    lowering.add_step(packed_windows_step(lowering, product, windows, to, std::move(*finishes)), id, "product " + text);
  else lowering.add_step(onednn_windows_step(lowering, product, windows, to, following.steps), id, "oneDNN " + text);
  return true;
}

}  // namespace hone::native
