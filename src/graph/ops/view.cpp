#include "graph/ops/axes.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"

// Operators whose output is the input's bytes under another shape.

namespace hone {
namespace {

constexpr std::int64_t kMaxRank = 64;

void infer_identity(InferContext& context) {
  context.output(0, context.type(0));
  if (auto contents = context.contents(0)) context.output_contents(0, *contents);
}

void evaluate_identity(EvaluateContext& context) { context.output(0, context.input(0)); }

/// Dims of Reshape's output: 0 copies the input's dim (unless allowed to mean zero), -1 takes what is left.
Shape reshaped(const NodeReader& node, const Shape* input, std::span<const Dim> target, bool allow_zero) {
  Shape shape;
  std::optional<std::size_t> open;
  Dim given = 1;
  for (std::size_t i = 0; i < target.size(); ++i) {
    Dim dim = target[i];
    if (dim == Dim(0) && !allow_zero) {
      if (input != nullptr && i >= input->size())
        node.fail("dimension {} of the shape is 0, but the input has rank {}", i, input->size());
      dim = input != nullptr ? (*input)[i] : Dim();
    } else if (dim == Dim(-1)) {
      if (open) node.fail("the shape has more than one -1");
      open = i;
      dim = 1;
    } else if (dim.known() && dim.value() < 0) {
      node.fail("the shape has a dimension {}", dim.value());
    }
    shape.push_back(dim);
    given = given * dim;
  }
  const Dim count = input != nullptr ? element_count(*input) : Dim();
  if (open) shape[*open] = given == Dim(0) ? Dim(0) : floor_div(count, given);
  const Dim total = element_count(shape);
  if (count.known() && total.known() && count != total)
    node.fail("cannot reshape {} to {}", text_of(*input), text_of(shape));
  return shape;
}

bool reshape_keeps_zero(const NodeReader& node) { return node.version() >= 14 && node.integer("allowzero") != 0; }

/// The target of Reshape: an input from opset 5 on, an attribute before.
std::optional<Contents> reshape_target(const InferContext& context) {
  if (context.version() >= 5) return context.contents(1);
  const std::vector<std::int64_t> given = context.integers("shape");
  return Contents(given.begin(), given.end());
}

void infer_reshape(InferContext& context) {
  const std::optional<Contents> target = reshape_target(context);
  if (target) {
    context.output(0, context.element(0), reshaped(context, context.shape(0), *target, reshape_keeps_zero(context)));
    if (auto contents = context.contents(0)) context.output_contents(0, *contents);
    return;
  }
  // Unknown contents; the length of the shape input still tells the rank.
  const Shape* length = context.shape(1);
  const bool known = length != nullptr && length->size() == 1 && (*length)[0].known() && (*length)[0].value() >= 0 &&
                     (*length)[0].value() <= kMaxRank;
  if (known) context.output(0, context.element(0), Shape(static_cast<std::size_t>((*length)[0].value())));
  else context.output(0, context.element(0));
}

void output_reshaped(EvaluateContext& context, const Shape& shape) {
  Dims dims;
  for (const Dim d : shape) dims.push_back(d.value());
  context.output(0, context.tensor(0).reshaped(dims));
}

void evaluate_reshape(EvaluateContext& context) {
  const std::vector<std::int64_t> target =
      context.version() >= 5 ? context.tensor(1).integers() : context.integers("shape");
  const Contents dims(target.begin(), target.end());
  const Shape input = context.tensor(0).shape();
  output_reshaped(context, reshaped(context, &input, dims, reshape_keeps_zero(context)));
}

/// Axes of Squeeze and Unsqueeze: an input from opset 13 on, an attribute before. Nullopt when not given.
std::optional<std::vector<std::int64_t>> given_axes(const EvaluateContext& context) {
  if (context.version() >= 13) return context.has_input(1) ? std::optional(context.tensor(1).integers()) : std::nullopt;
  return context.has_attribute("axes") ? std::optional(context.integers("axes")) : std::nullopt;
}

Shape squeezed(const NodeReader& node, const Shape& input, const std::optional<std::vector<std::int64_t>>& axes) {
  std::vector<std::size_t> removed;
  if (axes) {
    removed = normalize_axes(node, *axes, input.size());
    for (const std::size_t axis : removed)
      if (input[axis].known() && input[axis] != Dim(1)) node.fail("cannot squeeze axis {} of {}", axis, text_of(input));
  } else {
    for (std::size_t i = 0; i < input.size(); ++i)
      if (input[i] == Dim(1)) removed.push_back(i);
  }
  Shape shape;
  for (std::size_t i = 0; i < input.size(); ++i)
    if (!std::binary_search(removed.begin(), removed.end(), i)) shape.push_back(input[i]);
  return shape;
}

void infer_squeeze(InferContext& context) {
  const bool axes_as_input = context.version() >= 13;
  const bool given = axes_as_input ? context.has_input(1) : context.has_attribute("axes");
  std::optional<std::vector<std::int64_t>> axes;
  if (given) axes = axes_as_input ? context.known_integers(1) : context.integers("axes");
  const Shape* input = context.shape(0);
  // Without axes the result depends on which dims are 1, so all must be numbers.
  const bool decided = input != nullptr && (given ? axes.has_value() : is_static(*input));
  if (!decided) return context.output(0, context.element(0));
  context.output(0, context.element(0), squeezed(context, *input, axes));
  if (auto contents = context.contents(0)) context.output_contents(0, *contents);
}

void evaluate_squeeze(EvaluateContext& context) {
  output_reshaped(context, squeezed(context, context.tensor(0).shape(), given_axes(context)));
}

Shape unsqueezed(const NodeReader& node, const Shape& input, std::span<const std::int64_t> axes) {
  Shape shape = input;
  for (const std::size_t axis : normalize_axes(node, axes, input.size() + axes.size())) shape.insert(axis, 1);
  return shape;
}

void infer_unsqueeze(InferContext& context) {
  const auto axes = context.version() >= 13 ? context.known_integers(1) : std::optional(context.integers("axes"));
  if (!axes || context.shape(0) == nullptr) return context.output(0, context.element(0));
  context.output(0, context.element(0), unsqueezed(context, *context.shape(0), *axes));
  if (auto contents = context.contents(0)) context.output_contents(0, *contents);
}

void evaluate_unsqueeze(EvaluateContext& context) {
  const auto axes = given_axes(context);
  if (!axes) context.fail("axes are missing");
  output_reshaped(context, unsqueezed(context, context.tensor(0).shape(), *axes));
}

Shape flattened(const NodeReader& node, const Shape& input) {
  const std::int64_t given = node.integer("axis");
  const auto rank = static_cast<std::int64_t>(input.size());
  if (given < -rank || given > rank) node.fail("axis {} is out of range for rank {}", given, rank);
  const auto axis = static_cast<std::size_t>(given < 0 ? given + rank : given);
  Dim rows = 1, columns = 1;
  for (std::size_t i = 0; i < input.size(); ++i) (i < axis ? rows : columns) = (i < axis ? rows : columns) * input[i];
  return {rows, columns};
}

void infer_flatten(InferContext& context) {
  if (context.shape(0) == nullptr) return context.output(0, context.element(0), Shape(2));
  context.output(0, context.element(0), flattened(context, *context.shape(0)));
}

void evaluate_flatten(EvaluateContext& context) {
  output_reshaped(context, flattened(context, context.tensor(0).shape()));
}

const OpFamily view_family({
    {.name = "Identity",
     .versions = {1, 13, 14, 16, 19, 21, 23, 24},
     .kind = OpKind::view,
     .degree = Degree::copy,
     .aliases = {{0, 0}},
     .infer = infer_identity,
     .evaluate = evaluate_identity},
    {.name = "Reshape",
     .versions = {1, 5, 13, 14, 19, 21, 23, 24},
     .inputs = {1, 2},
     .attributes = {integers("shape").until(5), integer("allowzero", 0).since(14)},
     .kind = OpKind::view,
     .degree = Degree::copy,
     .aliases = {{0, 0}},
     .infer = infer_reshape,
     .evaluate = evaluate_reshape},
    {.name = "Squeeze",
     .versions = {1, 11, 13, 21, 23, 24},
     .inputs = {1, 2},
     .attributes = {integers("axes").until(13)},
     .kind = OpKind::view,
     .degree = Degree::copy,
     .aliases = {{0, 0}},
     .infer = infer_squeeze,
     .evaluate = evaluate_squeeze},
    {.name = "Unsqueeze",
     .versions = {1, 11, 13, 21, 23, 24},
     .inputs = {1, 2},
     .attributes = {integers("axes").until(13)},
     .kind = OpKind::view,
     .degree = Degree::copy,
     .aliases = {{0, 0}},
     .infer = infer_unsqueeze,
     .evaluate = evaluate_unsqueeze},
    {.name = "Flatten",
     .versions = {1, 9, 11, 13, 21, 23, 24},
     .attributes = {integer("axis", 1)},
     .kind = OpKind::view,
     .degree = Degree::copy,
     .aliases = {{0, 0}},
     .infer = infer_flatten,
     .evaluate = evaluate_flatten},
});

}  // namespace
}  // namespace hone
