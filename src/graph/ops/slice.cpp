#include <algorithm>

#include "graph/ops/axes.h"
#include "graph/ops/copy.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"

// Slice: every step-th element between two bounds, along some axes.

namespace hone {
namespace {

// No dimension is larger, so that bounds beyond it (INT64_MAX stands for "to the end") mean the same as it.
constexpr std::int64_t kFar = std::int64_t{1} << 60;

/// What is taken along one axis.
struct SliceRange {
  std::int64_t start = 0;
  std::int64_t step = 1;
  std::int64_t length = 0;
};

/// The range between two bounds as written: negative ones count from the end, and all are clamped to the dimension.
SliceRange clamped_range(std::int64_t start, std::int64_t end, std::int64_t step, std::int64_t dim) {
  const bool forward = step > 0;
  const std::int64_t low = forward ? 0 : -1, high = forward ? dim : dim - 1;
  start = std::clamp(start < 0 ? start + dim : start, forward ? low : std::int64_t{0}, std::max(high, std::int64_t{0}));
  end = std::clamp(end < 0 ? end + dim : end, low, high);
  const std::int64_t distance = forward ? end - start : start - end;
  const std::int64_t stride = forward ? step : -std::max(step, -INT64_MAX);
  const std::int64_t length = dim == 0 || distance <= 0 ? 0 : (distance - 1) / stride + 1;
  return {.start = start, .step = length > 1 ? step : 1, .length = length};
}

/// Where a symbolic bound falls in a dimension. A symbolic number is taken for a length, which is not negative.
Dim position(Dim bound, Dim dim) {
  const bool from_end = bound.known() && bound.value() < 0;
  if (bound == Dim(0) || bound == dim) return bound;
  if (bound.known() && bound.value() >= INT32_MAX) return dim;
  return from_end ? maximum(dim + bound, 0) : minimum(bound, dim);
}

/// How far a position is from the end of the dimension, in the same terms: dim - min(k, dim) is max(dim - k, 0).
Dim distance_to_end(Dim bound, Dim dim) {
  const bool from_end = bound.known() && bound.value() < 0;
  if (bound == Dim(0)) return dim;
  return from_end ? minimum(Dim(-bound.value()), dim) : maximum(dim - bound, 0);
}

/// Length of a slice whose dimension or bounds are not all numbers.
Dim symbolic_length(Dim start, Dim end, std::int64_t step, Dim dim) {
  if (step < 0) {
    const bool whole = start.known() && (start.value() == -1 || start.value() >= INT32_MAX) && end.known() &&
                       end.value() <= INT32_MIN + 1;
    return whole ? ceil_div(dim, -std::max(step, -kFar)) : Dim();
  }
  Dim length;
  if (start == Dim(0)) length = position(end, dim);
  else if (position(end, dim) == dim) length = distance_to_end(start, dim);
  return ceil_div(length, std::min(step, kFar));
}

/// Bounds as dims; those beyond any dimension are brought within reach of exact arithmetic.
std::optional<Contents> bounds(const InferContext& context, std::size_t input, std::string_view attribute) {
  std::vector<std::int64_t> numbers;
  if (context.version() < 10) numbers = context.integers(attribute);
  else if (const Tensor* constant = context.constant(input)) numbers = constant->integers();
  else return context.contents(input);
  Contents result;
  for (const std::int64_t number : numbers) result.emplace_back(std::clamp(number, -kFar, kFar));
  return result;
}

/// The axes in the order of the bounds; the first ones when the node does not say.
std::vector<std::size_t> sliced_axes(const NodeReader& node, const std::optional<std::vector<std::int64_t>>& given,
                                     std::size_t count, std::size_t rank) {
  if (count > rank || (given && given->size() != count))
    node.fail("{} bounds do not fit axes and rank {}", count, rank);
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i < count; ++i) axes.push_back(given ? (*given)[i] : static_cast<std::int64_t>(i));
  normalize_axes(node, axes, rank);  // none twice
  std::vector<std::size_t> normalized;
  for (const std::int64_t axis : axes) normalized.push_back(normalize_axis(node, axis, rank));
  return normalized;
}

void check_steps(const NodeReader& node, std::span<const std::int64_t> steps, std::size_t count) {
  if (steps.size() != count) node.fail("{} steps for {} bounds", steps.size(), count);
  if (std::ranges::find(steps, 0) != steps.end()) node.fail("a step is 0");
}

/// Elements of a small list that the slice keeps.
void slice_contents(InferContext& context, SliceRange range) {
  const std::optional<Contents> contents = context.contents(0);
  if (!contents) return;
  Contents kept;
  for (std::int64_t i = 0; i < range.length; ++i) {
    const std::int64_t at = range.start + i * range.step;
    if (at < 0 || at >= static_cast<std::int64_t>(contents->size())) return;
    kept.push_back((*contents)[static_cast<std::size_t>(at)]);
  }
  context.output_contents(0, std::move(kept));
}

/// A Slice node as far as known before it runs; nullopt for what is given but not known.
struct KnownSlice {
  std::optional<Contents> starts, ends;
  std::optional<std::vector<std::int64_t>> axes, steps;
  std::size_t count = 0;  // of sliced axes
};

/// Nullopt when not even the sliced axes are known.
std::optional<KnownSlice> known_slice(const InferContext& context) {
  KnownSlice slice{.starts = bounds(context, 1, "starts"), .ends = bounds(context, 2, "ends"), .axes = {}, .steps = {}};
  const bool attributes = context.version() < 10;
  const bool axes_given = attributes ? context.has_attribute("axes") : context.has_input(3);
  if (axes_given) slice.axes = attributes ? std::optional(context.integers("axes")) : context.known_integers(3);
  if (axes_given && !slice.axes) return std::nullopt;
  const Shape* listed = context.shape(1);
  if (slice.starts) slice.count = slice.starts->size();
  else if (slice.axes) slice.count = slice.axes->size();
  else if (listed != nullptr && listed->size() == 1 && (*listed)[0].known())
    slice.count = static_cast<std::size_t>((*listed)[0].value());
  else return std::nullopt;
  if (context.shape(0) != nullptr && slice.count > context.shape(0)->size())
    context.fail("{} bounds for {} axes", slice.count, context.shape(0)->size());
  if (slice.ends && slice.ends->size() != slice.count)
    context.fail("{} starts and {} ends", slice.count, slice.ends->size());
  if (attributes || !context.has_input(4)) slice.steps.emplace(slice.count, 1);
  else slice.steps = context.known_integers(4);
  return slice;
}

void infer_slice(InferContext& context) {
  const Shape* input = context.shape(0);
  if (input == nullptr) return context.output(0, context.element(0));
  const std::optional<KnownSlice> slice = known_slice(context);
  if (!slice) return context.output(0, context.element(0), Shape(input->size()));
  const std::vector<std::size_t> axes = sliced_axes(context, slice->axes, slice->count, input->size());
  if (slice->steps) check_steps(context, *slice->steps, slice->count);
  Shape shape = *input;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    Dim& dim = shape[axes[i]];
    const Dim start = slice->starts ? (*slice->starts)[i] : Dim(), end = slice->ends ? (*slice->ends)[i] : Dim();
    if (!slice->steps || start.unknown() || end.unknown()) dim = Dim();
    else if (!dim.known() || !start.known() || !end.known()) dim = symbolic_length(start, end, (*slice->steps)[i], dim);
    else {
      const SliceRange range = clamped_range(start.value(), end.value(), (*slice->steps)[i], dim.value());
      if (shape.size() == 1) slice_contents(context, range);
      dim = range.length;
    }
  }
  context.output(0, context.element(0), shape);
}

void evaluate_slice(EvaluateContext& context) {
  const Tensor& input = context.tensor(0);
  const bool attributes = context.version() < 10;
  const auto starts = attributes ? context.integers("starts") : context.tensor(1).integers();
  const auto ends = attributes ? context.integers("ends") : context.tensor(2).integers();
  if (starts.size() != ends.size()) context.fail("{} starts and {} ends", starts.size(), ends.size());
  std::optional<std::vector<std::int64_t>> axes;
  if (attributes && context.has_attribute("axes")) axes = context.integers("axes");
  else if (!attributes && context.has_input(3)) axes = context.tensor(3).integers();
  std::vector<std::int64_t> steps(starts.size(), 1);
  if (!attributes && context.has_input(4)) steps = context.tensor(4).integers();
  check_steps(context, steps, starts.size());
  const std::vector<std::size_t> at = sliced_axes(context, axes, starts.size(), input.rank());
  Dims dims = input.dims();
  BlockPlace source{.offset = 0, .strides = strides_of(input.dims())};
  for (std::size_t i = 0; i < at.size(); ++i) {
    const SliceRange range = clamped_range(starts[i], ends[i], steps[i], input.dim(at[i]));
    source.offset += range.start * source.strides[at[i]];
    source.strides[at[i]] *= range.step;
    dims[at[i]] = range.length;
  }
  context.output(0, strided_copy(input, dims, source));
}

/// Only what is kept is read.
double slice_bytes(const CostContext& context) { return 2 * context.output_bytes(0); }

// clang-format off
const OpFamily slice_family({
    {.name = "Slice", .versions = {1, 10, 11, 13}, .inputs = {1, 5},
     .attributes = {integers("starts").until(10), integers("ends").until(10), integers("axes").until(10)},
     .kind = OpKind::movement, .degree = Degree::copy,
     .infer = infer_slice, .evaluate = evaluate_slice, .bytes = slice_bytes},
});
// clang-format on

}  // namespace
}  // namespace hone
