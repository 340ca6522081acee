#include <algorithm>
#include <numeric>

#include "zoo/autodiff.h"

// Gradients of operators that move elements.

namespace hone::zoo {
namespace {

using Context = const GradientContext&;

std::int64_t positive(Context c, std::int64_t axis, std::size_t i = 0) {
  return axis < 0 ? axis + c.emit().rank(c.input(i)) : axis;
}

ValueId zeros_like(Emitter& e, ValueId like, const Dims& dims) { return e.expand(e.scalar_like(like, 0), dims); }

void reshape(Context c) { c.give(0, reshape_to(c.emit(), c.gradient(), c.input_dims(0))); }

void expand(Context c) { c.give(0, c.gradient()); }

Integers inverse(const Integers& permutation) {
  Integers result(permutation.size());
  for (std::size_t i = 0; i < permutation.size(); ++i)
    result[static_cast<std::size_t>(permutation[i])] = static_cast<std::int64_t>(i);
  return result;
}

void transpose(Context c) {
  Integers permutation = c.integers("perm");
  if (permutation.empty()) {
    permutation.resize(c.input_dims(0).size());
    std::iota(permutation.rbegin(), permutation.rend(), 0);
  }
  c.give(0, c.emit().transpose(c.gradient(), inverse(permutation)));
}

void concat(Context c) {
  const std::int64_t axis = c.integer("axis", 0);
  Integers sizes;
  for (std::size_t i = 0; i < c.input_count(); ++i) sizes.push_back(c.emit().dim(c.input(i), axis));
  const std::vector<ValueId> parts = c.emit().split(c.gradient(), axis, sizes);
  for (std::size_t i = 0; i < parts.size(); ++i) c.give(i, parts[i]);
}

void split(Context c) {
  std::vector<ValueId> parts;
  for (std::size_t i = 0; i < c.node().outputs.size(); ++i) parts.push_back(c.gradient(i));
  c.give(0, c.emit().concat(parts, c.integer("axis", 0)));
}

/// Bounds of a slice along one axis, as ONNX clamps them.
struct Bounds {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

Bounds clamped(std::int64_t begin, std::int64_t end, std::int64_t size) {
  const auto clamp = [&](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size); };
  return {clamp(begin), clamp(end)};
}

/// What was cut away comes back as zeros.
void slice(Context c) {
  const Integers begins = c.constant_integers(1), ends = c.constant_integers(2);
  Integers axes(begins.size());
  std::iota(axes.begin(), axes.end(), 0);
  if (c.input(3).valid()) axes = c.constant_integers(3);
  if (c.input(4).valid() && std::ranges::any_of(c.constant_integers(4), [](std::int64_t step) { return step != 1; }))
    c.refuse("no gradient for steps other than 1");
  const Dims dims = c.input_dims(0);
  Integers pads(2 * dims.size(), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(positive(c, axes[i]));
    const Bounds bounds = clamped(begins[i], ends[i], dims[axis]);
    pads[axis] = bounds.begin;
    pads[axis + dims.size()] = dims[axis] - bounds.end;
  }
  c.give(0, c.emit().pad(c.gradient(), pads));
}

void pad(Context c) {
  if (c.text("mode", "constant") != "constant") c.refuse("no gradient for this mode");
  if (c.input(3).valid()) c.refuse("no gradient for padding of chosen axes");
  const Integers pads = c.constant_integers(1);
  if (std::ranges::any_of(pads, [](std::int64_t p) { return p < 0; })) c.refuse("no gradient for negative padding");
  const Dims dims = c.input_dims(0);
  ValueId g = c.gradient();
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (pads[i] != 0 || pads[i + dims.size()] != 0)
      g = c.emit().slice(g, static_cast<std::int64_t>(i), pads[i], pads[i] + dims[i]);
  c.give(0, g);
}

/// Rows are added up where they were taken from. The gathered axis is brought to the front, where ScatterND adds rows.
void gather(Context c) {
  Emitter& e = c.emit();
  const std::int64_t axis = positive(c, c.integer("axis", 0));
  const std::int64_t index_rank = e.rank(c.input(1));
  const Dims dims = c.input_dims(0);
  Integers to_front, source_front{axis};
  for (std::int64_t i = 0; i < index_rank; ++i) to_front.push_back(axis + i);
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(dims.size()); ++i) {
    if (i == axis) continue;
    source_front.push_back(i);
    to_front.push_back(i < axis ? i : i + index_rank - 1);
  }
  Dims front_dims;
  for (const std::int64_t i : source_front) front_dims.push_back(dims[static_cast<std::size_t>(i)]);
  const ValueId rows = axis == 0 ? c.gradient() : e.transpose(c.gradient(), to_front);
  const ValueId zeros = zeros_like(e, rows, front_dims);
  const ValueId sums =
      e.emit("ScatterND", {zeros, e.unsqueeze(c.input(1), {-1}), rows}, front_dims, {{"reduction", "add"}});
  c.give(0, axis == 0 ? sums : e.transpose(sums, inverse(source_front)));
}

/// Only for what is added into zeros or sums: then every update reaches the output as it is.
void scatter_nd(Context c) {
  if (c.text("reduction", "none") != "add") c.refuse("no gradient unless updates are added");
  c.give(0, c.gradient());
  if (c.wants(2)) c.give(2, c.emit().emit("GatherND", {c.gradient(), c.input(1)}, c.input_dims(2)));
}

void gather_elements(Context c) {
  Emitter& e = c.emit();
  const Dims dims = c.input_dims(0);
  c.give(0, e.emit("ScatterElements", {zeros_like(e, c.gradient(), dims), c.input(1), c.gradient()}, dims,
                   {{"axis", c.integer("axis", 0)}, {"reduction", "add"}}));
}

/// A repeated value is split into its repetitions, which are summed.
void tile(Context c) {
  Emitter& e = c.emit();
  const Integers repeats = c.constant_integers(1);
  const Dims dims = c.input_dims(0);
  Integers interleaved, axes;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    axes.push_back(static_cast<std::int64_t>(interleaved.size()));
    interleaved.push_back(repeats[i]);
    interleaved.push_back(dims[i]);
  }
  c.give(0, e.reduce("ReduceSum", e.reshape(c.gradient(), interleaved), axes, Reduced::dropped));
}

/// Summing up the other way round.
void cumulative_sum(Context c) {
  const Attributes attributes{{"exclusive", c.integer("exclusive", 0)}, {"reverse", 1 - c.integer("reverse", 0)}};
  c.give(0, c.emit().emit("CumSum", {c.gradient(), c.input(1)}, c.input_dims(0), attributes));
}

const GradientFamily gradients_movement_family({
    {"Reshape", reshape},
    {"Flatten", reshape},
    {"Squeeze", reshape},
    {"Unsqueeze", reshape},
    {"Expand", expand},
    {"Transpose", transpose},
    {"Concat", concat},
    {"Split", split},
    {"Slice", slice},
    {"Pad", pad},
    {"Gather", gather},
    {"ScatterND", scatter_nd},
    {"GatherElements", gather_elements},
    {"Tile", tile},
    {"CumSum", cumulative_sum},
});

}  // namespace
}  // namespace hone::zoo
