#include <algorithm>
#include <numeric>

#include "zoo/autodiff.h"

// Gradients of matrix products and convolutions.

namespace hone::zoo {
namespace {

using Context = const GradientContext&;

/// A vector operand of MatMul as the matrix it stands for.
ValueId as_matrix(Emitter& e, ValueId x, const Dims& dims) { return reshape_to(e, x, dims); }

/// a' g for a product with a plain matrix: one product over all rows of all batches.
ValueId weight_gradient(Emitter& e, ValueId a, ValueId g) {
  const ValueId rows = e.rank(a) == 2 ? a : e.reshape(a, {-1, e.dim(a, -1)});
  const ValueId gradients = e.rank(g) == 2 ? g : e.reshape(g, {-1, e.dim(g, -1)});
  return e.matmul(e.transpose_matrix(rows), gradients);
}

/// y = a b: da = g b', db = a' g.
void matmul(Context c) {
  Emitter& e = c.emit();
  Dims a_dims = c.input_dims(0), b_dims = c.input_dims(1), g_dims = e.dims(c.output());
  if (b_dims.size() == 1) {
    b_dims.push_back(1);
    g_dims.push_back(1);
  }
  if (a_dims.size() == 1) {
    a_dims.insert(0, 1);
    g_dims.insert(g_dims.size() - 1, 1);
  }
  const ValueId a = as_matrix(e, c.input(0), a_dims), b = as_matrix(e, c.input(1), b_dims);
  const ValueId g = as_matrix(e, c.gradient(), g_dims);
  if (c.wants(0)) c.give(0, sum_to(e, e.matmul(g, e.transpose_matrix(b)), a_dims));
  if (!c.wants(1)) return;
  const bool shared = b_dims.size() == 2;
  c.give(1, shared ? weight_gradient(e, a, g) : sum_to(e, e.matmul(e.transpose_matrix(a), g), b_dims));
}

/// alpha times the product of two matrices, each transposed or not.
ValueId scaled_product(Context c, ValueId a, std::int64_t transpose_a, ValueId b, std::int64_t transpose_b) {
  Emitter& e = c.emit();
  const Dims dims{e.dim(a, transpose_a ? 1 : 0), e.dim(b, transpose_b ? 0 : 1)};
  const auto alpha = static_cast<float>(c.number("alpha", 1));
  return e.emit("Gemm", {a, b}, dims, {{"alpha", alpha}, {"transA", transpose_a}, {"transB", transpose_b}});
}

/// y = alpha a b + beta c, with a and b transposed first if so said.
void gemm(Context c) {
  const std::int64_t ta = c.integer("transA", 0), tb = c.integer("transB", 0);
  const ValueId a = c.input(0), b = c.input(1), g = c.gradient();
  if (c.wants(0)) c.give(0, ta ? scaled_product(c, b, tb, g, 1) : scaled_product(c, g, 0, b, 1 - tb));
  if (c.wants(1)) c.give(1, tb ? scaled_product(c, g, 1, a, ta) : scaled_product(c, a, 1 - ta, g, 0));
  if (!c.wants(2)) return;
  const double beta = c.number("beta", 1);
  c.give(2, beta == 1 ? g : c.emit().mul(g, beta));
}

Window window_of(Context c) {
  if (c.text("auto_pad", "NOTSET") != "NOTSET") c.refuse("no gradient for automatic padding");
  const Dims filter = c.input_dims(1);
  return Window{Integers(filter.begin() + 2, filter.end()), c.integers("strides"), c.integers("pads"),
                c.integers("dilations")}
      .complete();
}

ValueId swap_first_two(Emitter& e, ValueId x) {
  Integers permutation(static_cast<std::size_t>(e.rank(x)));
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation[0], permutation[1]);
  return e.transpose(x, permutation);
}

/// [batch, groups * channels, ...] to [channels, groups * batch, ...].
ValueId channels_first(Emitter& e, ValueId x, std::int64_t groups) {
  if (groups == 1) return swap_first_two(e, x);
  const Dims dims = e.dims(x);
  Integers split{dims[0], groups, dims[1] / groups}, permutation{2, 1, 0}, joined{dims[1] / groups, groups * dims[0]};
  for (std::size_t i = 2; i < dims.size(); ++i) {
    split.push_back(dims[i]);
    permutation.push_back(static_cast<std::int64_t>(i) + 1);
    joined.push_back(dims[i]);
  }
  return e.reshape(e.transpose(e.reshape(x, split), permutation), joined);
}

/// Gradient of the filters of a convolution that made `narrow` from `wide`: a convolution of `wide` with `narrow` as
/// the filter, batch and channels exchanged, strides and dilations exchanged. Windows that did not reach the end leave
/// extra columns.
ValueId filter_gradient(Emitter& e, ValueId wide, ValueId narrow, const Window& window, std::int64_t groups) {
  const Dims narrow_dims = e.dims(narrow);
  const Window swapped{.kernel = Integers(narrow_dims.begin() + 2, narrow_dims.end()),
                       .strides = window.dilations,
                       .pads = window.pads,
                       .dilations = window.strides};
  const ValueId inputs[] = {channels_first(e, wide, groups), swap_first_two(e, narrow)};
  ValueId result = e.conv(inputs, swapped, groups);
  for (std::size_t i = 0; i < window.kernel.size(); ++i) {
    const auto axis = static_cast<std::int64_t>(i) + 2;
    if (e.dim(result, axis) != window.kernel[i]) result = e.slice(result, axis, 0, window.kernel[i]);
  }
  return swap_first_two(e, result);
}

/// Every axis but the channels.
ValueId sum_channels(Emitter& e, ValueId g) {
  Integers axes{0};
  for (std::int64_t i = 2; i < e.rank(g); ++i) axes.push_back(i);
  return e.reduce("ReduceSum", g, axes, Reduced::dropped);
}

void conv(Context c) {
  Emitter& e = c.emit();
  const Window window = window_of(c);
  const std::int64_t groups = c.integer("group", 1);
  const ValueId g = c.gradient();
  if (c.wants(0)) c.give(0, spread_windows(e, g, c.input(1), {window, groups, c.input_dims(0)}));
  if (c.wants(1)) c.give(1, filter_gradient(e, c.input(0), g, window, groups));
  if (c.wants(2)) c.give(2, sum_channels(e, g));
}

void conv_transpose(Context c) {
  Emitter& e = c.emit();
  if (!c.integers("output_shape").empty()) c.refuse("no gradient for a given output shape");
  const Window window = window_of(c);
  const std::int64_t groups = c.integer("group", 1);
  const ValueId g = c.gradient();
  if (c.wants(0)) {
    const ValueId inputs[] = {g, c.input(1)};
    c.give(0, e.conv(inputs, window, groups));
  }
  if (c.wants(1)) c.give(1, filter_gradient(e, g, c.input(0), window, groups));
  if (c.wants(2)) c.give(2, sum_channels(e, g));
}

const GradientFamily gradients_contraction_family({
    {"MatMul", matmul},
    {"Gemm", gemm},
    {"Conv", conv},
    {"ConvTranspose", conv_transpose},
});

}  // namespace

ValueId spread_windows(Emitter& e, ValueId g, ValueId filters, const Spread& spread) {
  const Window& w = spread.window;
  const Dims from = e.dims(g);
  Integers missing;
  for (std::size_t i = 0; i < w.kernel.size(); ++i) {
    const std::int64_t span = (w.kernel[i] - 1) * w.dilations[i] + 1;
    const std::int64_t reached = (from[i + 2] - 1) * w.strides[i] + span - w.pads[i] - w.pads[i + w.kernel.size()];
    missing.push_back(spread.dims[i + 2] - reached);
  }
  Attributes attributes = w.attributes();
  if (spread.groups != 1) attributes.push_back({"group", spread.groups});
  if (std::ranges::any_of(missing, [](std::int64_t m) { return m != 0; }))
    attributes.push_back({"output_padding", missing});
  return e.emit("ConvTranspose", {g, filters}, spread.dims, std::move(attributes));
}

}  // namespace hone::zoo
