#include <numeric>

#include "zoo/autodiff.h"
#include "zoo/weights.h"

// Gradients of operators that fold axes: sums, softmax, normalisation, pooling.

namespace hone::zoo {
namespace {

using Context = const GradientContext&;

Integers all_axes(std::size_t rank) {
  Integers axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

/// Axes a Reduce* node folds, counted from the front, whether they are an attribute or an input.
Integers reduced_axes(Context c) {
  const auto rank = static_cast<std::int64_t>(c.input_dims(0).size());
  Integers axes = c.input(1).valid() ? c.constant_integers(1) : c.integers("axes");
  if (axes.empty() && c.integer("noop_with_empty_axes", 0) != 0) return {};
  if (axes.empty()) return all_axes(static_cast<std::size_t>(rank));
  for (std::int64_t& axis : axes)
    if (axis < 0) axis += rank;
  return axes;
}

/// The dims of the input with every reduced axis 1.
Dims kept_dims(Context c) {
  Dims dims = c.input_dims(0);
  for (const std::int64_t axis : reduced_axes(c)) dims[static_cast<std::size_t>(axis)] = 1;
  return dims;
}

void reduce_sum(Context c) {
  c.give(0, c.emit().expand(reshape_to(c.emit(), c.gradient(), kept_dims(c)), c.input_dims(0)));
}

void reduce_mean(Context c) {
  Emitter& e = c.emit();
  const double share =
      static_cast<double>(element_count(kept_dims(c))) / static_cast<double>(element_count(c.input_dims(0)));
  const ValueId g = e.mul(reshape_to(e, c.gradient(), kept_dims(c)), share);
  c.give(0, e.expand(g, c.input_dims(0)));
}

/// To every element that is the extremum of its group.
void reduce_extremum(Context c) {
  Emitter& e = c.emit();
  const ValueId g = reshape_to(e, c.gradient(), kept_dims(c)), y = reshape_to(e, c.output(), kept_dims(c));
  c.give(0, e.where(e.compare("Equal", c.input(0), y), g, e.scalar_like(g, 0)));
}

/// y (g - sum(g y))
void softmax(Context c) {
  Emitter& e = c.emit();
  const ValueId y = c.output(), weighted = e.mul(c.gradient(), y);
  const ValueId total = e.reduce("ReduceSum", weighted, {c.integer("axis", -1)});
  c.give(0, e.sub(weighted, e.mul(y, total)));
}

/// g - e^y sum(g)
void log_softmax(Context c) {
  Emitter& e = c.emit();
  const ValueId total = e.reduce("ReduceSum", c.gradient(), {c.integer("axis", -1)});
  c.give(0, e.sub(c.gradient(), e.mul(e.exp(c.output()), total)));
}

/// A value standardised over some axes, and what it was multiplied by.
struct Standardized {
  ValueId value;    // (x - mean) * inverse
  ValueId inverse;  // 1 / sqrt(variance + epsilon)
};

Standardized standardize(Emitter& e, ValueId x, const Integers& axes, double epsilon) {
  const ValueId centred = e.sub(x, e.reduce("ReduceMean", x, axes));
  const ValueId variance = e.reduce("ReduceMean", e.mul(centred, centred), axes);
  const ValueId inverse = e.unary("Reciprocal", e.sqrt(e.add(variance, epsilon)));
  return {e.mul(centred, inverse), inverse};
}

/// Gradient through standardising: inverse (g - mean(g) - value mean(g value)).
ValueId unstandardize(Emitter& e, const Standardized& s, ValueId g, const Integers& axes) {
  const ValueId along = e.mul(s.value, e.reduce("ReduceMean", e.mul(g, s.value), axes));
  return e.mul(s.inverse, e.sub(e.sub(g, e.reduce("ReduceMean", g, axes)), along));
}

void layer_norm(Context c) {
  Emitter& e = c.emit();
  const auto rank = static_cast<std::int64_t>(c.input_dims(0).size());
  std::int64_t axis = c.integer("axis", -1);
  if (axis < 0) axis += rank;
  Integers axes(static_cast<std::size_t>(rank - axis));
  std::iota(axes.begin(), axes.end(), axis);
  const Standardized s = standardize(e, c.input(0), axes, c.number("epsilon", 1e-5));
  const ValueId g = c.gradient();
  if (c.wants(0)) c.give(0, unstandardize(e, s, e.mul(g, c.input(1)), axes));
  if (c.wants(1)) c.give(1, e.mul(g, s.value));
  c.give(2, g);
}

/// Every axis but the channels.
Integers sample_axes(const Dims& dims) {
  Integers axes = all_axes(dims.size());
  axes.erase(axes.begin() + 1);
  return axes;
}

/// [channels] as something that broadcasts over [batch, channels, ...].
ValueId per_channel(Emitter& e, ValueId x, std::size_t rank) {
  Dims dims(rank, 1);
  dims[1] = e.dim(x, 0);
  return reshape_to(e, x, dims);
}

/// With statistics of the batch in training mode, else with the running ones, which are constants.
void batch_norm(Context c) {
  Emitter& e = c.emit();
  const Dims dims = c.input_dims(0);
  const Integers axes = sample_axes(dims);
  const ValueId g = c.gradient();
  const double epsilon = c.number("epsilon", 1e-5);
  const bool training = c.integer("training_mode", 0) != 0;
  Standardized s;
  if (training) {
    s = standardize(e, c.input(0), axes, epsilon);
  } else {
    const ValueId variance = per_channel(e, c.input(4), dims.size());
    s.inverse = e.unary("Reciprocal", e.sqrt(e.add(variance, epsilon)));
    s.value = e.mul(e.sub(c.input(0), per_channel(e, c.input(3), dims.size())), s.inverse);
  }
  if (c.wants(0)) {
    const ValueId scaled = e.mul(g, per_channel(e, c.input(1), dims.size()));
    c.give(0, training ? unstandardize(e, s, scaled, axes) : e.mul(scaled, s.inverse));
  }
  if (c.wants(1)) c.give(1, e.reduce("ReduceSum", e.mul(g, s.value), axes, Reduced::dropped));
  if (c.wants(2)) c.give(2, e.reduce("ReduceSum", g, axes, Reduced::dropped));
}

Window pooling_window(Context c) {
  if (c.text("auto_pad", "NOTSET") != "NOTSET") c.refuse("no gradient for automatic padding");
  if (c.integer("ceil_mode", 0) != 0) c.refuse("no gradient for windows past the end");
  return Window{c.integers("kernel_shape"), c.integers("strides"), c.integers("pads"), c.integers("dilations")}
      .complete();
}

/// The pooling is run again for the places of the maxima, where the gradient is added up.
void max_pool(Context c) {
  Emitter& e = c.emit();
  const Dims dims = c.input_dims(0), flat{element_count(dims)};
  const ValueId g = c.gradient(), x = c.input(0);
  const Dims pooled[] = {e.dims(g), e.dims(g)};
  const std::vector<ValueId> again = e.emit_all("MaxPool", std::span(&x, 1), pooled, pooling_window(c).attributes());
  e.graph().set_type(again[1], Type::tensor(ElementType::int64, e.graph().value(again[1]).type.shape));
  const ValueId zeros = e.expand(e.scalar_like(g, 0), flat);
  const ValueId sums = e.emit("ScatterElements", {zeros, e.reshape(again[1], {-1}), e.reshape(g, {-1})}, flat,
                              {{"axis", std::int64_t{0}}, {"reduction", "add"}});
  c.give(0, reshape_to(e, sums, dims));
}

/// Elements each window along one axis averages over.
std::vector<double> window_sizes(std::int64_t size, std::int64_t outputs, const Window& w, std::size_t axis) {
  std::vector<double> counts(static_cast<std::size_t>(outputs), 0);
  for (std::int64_t i = 0; i < outputs; ++i) {
    for (std::int64_t k = 0; k < w.kernel[axis]; ++k) {
      const std::int64_t at = i * w.strides[axis] + k * w.dilations[axis] - w.pads[axis];
      if (at >= 0 && at < size) counts[static_cast<std::size_t>(i)] += 1;
    }
  }
  return counts;
}

/// Divides the gradient of an average pooling by how many elements each window averaged.
ValueId averaged(Context c, const Window& w) {
  Emitter& e = c.emit();
  ValueId g = c.gradient();
  for (std::size_t axis = 0; axis < w.kernel.size(); ++axis) {
    const std::size_t at = axis + 2;
    const std::int64_t outputs = e.dims(g)[at];
    std::vector<double> counts = window_sizes(c.input_dims(0)[at], outputs, w, axis);
    if (c.integer("count_include_pad", 0) != 0) counts.assign(counts.size(), static_cast<double>(w.kernel[axis]));
    Dims dims(e.dims(g).size(), 1);
    dims[at] = outputs;
    Tensor divisors = Tensor::zeros(e.element_of(g), dims);
    for (std::size_t i = 0; i < counts.size(); ++i) divisors.set_number(i, counts[i]);
    g = e.div(g, e.constant("window_sizes", std::move(divisors)));
  }
  return g;
}

/// Spread over the windows by a transposed convolution with ones, channel by channel.
void average_pool(Context c) {
  Emitter& e = c.emit();
  const Window window = pooling_window(c);
  const Dims dims = c.input_dims(0);
  Dims filter{dims[1], 1};
  for (const std::int64_t k : window.kernel) filter.push_back(k);
  const ValueId ones = e.constant("ones", filled(e.element_of(c.input(0)), filter, 1));
  c.give(0, spread_windows(e, averaged(c, window), ones, {window, dims[1], dims}));
}

void global_average_pool(Context c) {
  const Dims dims = c.input_dims(0);
  const double pixels = static_cast<double>(element_count(dims)) / static_cast<double>(dims[0] * dims[1]);
  c.give(0, c.emit().expand(c.emit().mul(c.gradient(), 1 / pixels), dims));
}

const GradientFamily gradients_reduction_family({
    {"ReduceSum", reduce_sum},
    {"ReduceMean", reduce_mean},
    {"ReduceMax", reduce_extremum},
    {"ReduceMin", reduce_extremum},
    {"Softmax", softmax},
    {"LogSoftmax", log_softmax},
    {"LayerNormalization", layer_norm},
    {"BatchNormalization", batch_norm},
    {"MaxPool", max_pool},
    {"AveragePool", average_pool},
    {"GlobalAveragePool", global_average_pool},
});

}  // namespace
}  // namespace hone::zoo
