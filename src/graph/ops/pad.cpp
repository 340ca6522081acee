#include <algorithm>

#include "graph/ops/axes.h"
#include "graph/ops/copy.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"

// Pad: more elements at the ends of axes, or fewer where a pad is negative.

namespace hone {
namespace {

/// What is added to the ends of one axis.
template <class Number>
struct Ends {
  Number begin = 0;
  Number end = 0;
};

/// Pads of every axis, from the list of all begins followed by all ends for the given axes (all when none are given).
template <class Number>
std::vector<Ends<Number>> ends_of(const NodeReader& node, std::span<const Number> pads,
                                  const std::optional<std::vector<std::int64_t>>& axes, std::size_t rank) {
  const std::size_t count = axes ? axes->size() : rank;
  if (pads.size() != 2 * count) node.fail("{} pads for {} axes", pads.size(), count);
  if (axes) normalize_axes(node, *axes, rank);  // none twice
  std::vector<Ends<Number>> ends(rank);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t axis = axes ? normalize_axis(node, (*axes)[i], rank) : i;
    ends[axis] = {.begin = pads[i], .end = pads[count + i]};
  }
  return ends;
}

std::string_view pads_attribute(const NodeReader& node) { return node.version() == 1 ? "paddings" : "pads"; }

void infer_pad(InferContext& context) {
  const Shape* input = context.shape(0);
  if (input == nullptr) return context.output(0, context.element(0));
  std::optional<Contents> pads;
  if (context.version() >= 11) {
    pads = context.contents(1);
  } else {
    const std::vector<std::int64_t> given = context.integers(pads_attribute(context));
    pads.emplace(given.begin(), given.end());
  }
  std::optional<std::vector<std::int64_t>> axes;
  if (context.has_input(3)) axes = context.known_integers(3);
  if (!pads || (context.has_input(3) && !axes)) return context.output(0, context.element(0), Shape(input->size()));
  const auto ends = ends_of<Dim>(context, *pads, axes, input->size());
  Shape shape = *input;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    shape[i] = shape[i] + ends[i].begin + ends[i].end;
    if (shape[i].known() && shape[i].value() < 0) context.fail("pads leave less than nothing of axis {}", i);
  }
  context.output(0, context.element(0), shape);
}

/// One axis after cutting off what negative pads ask for.
struct PaddedAxis {
  std::int64_t first = 0;   // of the input that is kept
  std::int64_t length = 0;  // of what is kept
  std::int64_t before = 0;  // added in front
  std::int64_t after = 0;   // added behind
};

PaddedAxis padded_axis(const NodeReader& node, std::int64_t dim, Ends<std::int64_t> ends) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 60;
  if (std::max({ends.begin, ends.end, -kLimit}) > kLimit || std::min(ends.begin, ends.end) < -kLimit)
    node.fail("a pad of {} and {} is out of range", ends.begin, ends.end);
  PaddedAxis axis{.first = std::max<std::int64_t>(-ends.begin, 0),
                  .length = 0,
                  .before = std::max<std::int64_t>(ends.begin, 0),
                  .after = std::max<std::int64_t>(ends.end, 0)};
  axis.length = dim - axis.first - std::max<std::int64_t>(-ends.end, 0);
  if (axis.length < 0) node.fail("pads of {} and {} leave less than nothing of {}", ends.begin, ends.end, dim);
  return axis;
}

Tensor pad_constant(const Tensor& input, std::span<const PaddedAxis> axes, const Tensor& value) {
  Dims dims, kept;
  BlockPlace source{.offset = 0, .strides = strides_of(input.dims())}, target;
  for (const PaddedAxis& axis : axes) {
    dims.push_back(axis.before + axis.length + axis.after);
    kept.push_back(axis.length);
  }
  Tensor padded = filled(value, dims);
  target.strides = strides_of(dims);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    source.offset += axes[i].first * source.strides[i];
    target.offset += axes[i].before * target.strides[i];
  }
  copy_block(kept, padded, target, input, source);
  return padded;
}

/// Which element stands at a coordinate outside [0, length).
std::int64_t reflect(std::int64_t at, std::int64_t length) {
  if (length == 1) return 0;
  const std::int64_t period = 2 * (length - 1);
  const std::int64_t phase = ((at % period) + period) % period;
  return std::min(phase, period - phase);
}
std::int64_t edge(std::int64_t at, std::int64_t length) { return std::clamp<std::int64_t>(at, 0, length - 1); }
std::int64_t wrap(std::int64_t at, std::int64_t length) { return ((at % length) + length) % length; }

using Continuation = std::int64_t (*)(std::int64_t at, std::int64_t length);

Tensor pad_continued(const EvaluateContext& context, std::span<const PaddedAxis> axes, Continuation continuation) {
  std::vector<std::vector<std::int64_t>> coordinates(axes.size());
  Dims dims;
  for (const PaddedAxis& axis : axes) dims.push_back(axis.before + axis.length + axis.after);
  if (element_count(dims) == 0) return Tensor::zeros(context.tensor(0).type(), dims);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const PaddedAxis& axis = axes[i];
    if (axis.length == 0 && axis.before + axis.after > 0) context.fail("axis {} has nothing to continue", i);
    for (std::int64_t at = -axis.before; at < axis.length + axis.after; ++at)
      coordinates[i].push_back(axis.first + continuation(at, axis.length));
  }
  return pick_coordinates(context.tensor(0), coordinates);
}

/// What the constant mode fills with: 0 when the node does not say.
Tensor fill_value(const EvaluateContext& context) {
  if (context.has_input(2)) {
    if (context.tensor(2).count() != 1) context.fail("the constant value is not a single element");
    return context.tensor(2);
  }
  Tensor value = Tensor::zeros(context.tensor(0).type(), {});
  if (context.version() < 11 && context.number("value") != 0) value.set_number(0, context.number("value"));
  return value;
}

void evaluate_pad(EvaluateContext& context) {
  const Tensor& input = context.tensor(0);
  const std::vector<std::int64_t> pads =
      context.version() >= 11 ? context.tensor(1).integers() : context.integers(pads_attribute(context));
  std::optional<std::vector<std::int64_t>> given;
  if (context.has_input(3)) given = context.tensor(3).integers();
  const auto ends = ends_of<std::int64_t>(context, pads, given, input.rank());
  std::vector<PaddedAxis> axes;
  for (std::size_t i = 0; i < ends.size(); ++i) axes.push_back(padded_axis(context, input.dim(i), ends[i]));
  const std::string& mode = context.text("mode");
  if (mode == "constant") context.output(0, pad_constant(input, axes, fill_value(context)));
  else if (mode == "reflect") context.output(0, pad_continued(context, axes, reflect));
  else if (mode == "edge") context.output(0, pad_continued(context, axes, edge));
  else if (mode == "wrap") context.output(0, pad_continued(context, axes, wrap));
  else context.fail("unknown mode '{}'", mode);
}

// clang-format off
const OpFamily pad_family({
    {.name = "Pad", .versions = {1, 2, 11, 13, 18, 19, 21, 23, 24}, .inputs = {1, 4},
     .attributes = {text("mode", "constant"), integers("paddings").until(2), integers("pads").since(2).until(11),
                    number("value", 0.0f).until(11)},
     .kind = OpKind::movement, .degree = Degree::copy, .infer = infer_pad, .evaluate = evaluate_pad},
});
// clang-format on

}  // namespace
}  // namespace hone
