#include <algorithm>

#include "graph/ops/axes.h"
#include "graph/ops/copy.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"

// Putting tensors together along an axis, and taking them apart.

namespace hone {
namespace {

/// Shape of the inputs put together along the node's axis.
Shape concatenated(const NodeReader& node, std::span<const Shape> inputs) {
  Shape shape = inputs[0];
  const std::size_t axis = normalize_axis(node, node.integer("axis"), shape.size());
  for (const Shape& next : inputs.subspan(1)) {
    if (next.size() != shape.size()) node.fail("inputs have ranks {} and {}", shape.size(), next.size());
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (i == axis) shape[i] = shape[i] + next[i];
      else if (shape[i].known() && next[i].known() && shape[i] != next[i])
        node.fail("inputs {} and {} differ beside axis {}", text_of(inputs[0]), text_of(next), axis);
      else if (next[i].known() || shape[i].unknown()) shape[i] = next[i];
    }
  }
  return shape;
}

void infer_concat(InferContext& context) {
  std::vector<Shape> shapes;
  std::optional<std::size_t> rank;
  ElementType element = ElementType::undefined;
  for (std::size_t i = 0; i < context.input_count(); ++i) {
    if (element == ElementType::undefined) element = context.element(i);
    if (context.shape(i) == nullptr) continue;
    shapes.push_back(*context.shape(i));
    rank = shapes.back().size();
  }
  if (!rank) return context.output(0, element);
  if (shapes.size() < context.input_count()) shapes.resize(context.input_count(), Shape(*rank));
  const Shape shape = concatenated(context, shapes);
  context.output(0, element, shape);
  if (shape.size() != 1) return;
  Contents joined;
  for (std::size_t i = 0; i < context.input_count(); ++i) {
    const std::optional<Contents> contents = context.contents(i);
    // A part of known length still leaves the others in their places.
    const Shape* part = context.shape(i);
    const Dim length = part != nullptr ? (*part)[0] : Dim();
    if (contents) joined.insert(joined.end(), contents->begin(), contents->end());
    else if (length.known() && length.value() >= 0 && length.value() <= 64)
      joined.resize(joined.size() + static_cast<std::size_t>(length.value()));
    else return;
  }
  if (is_integer(element)) context.output_contents(0, std::move(joined));
}

void evaluate_concat(EvaluateContext& context) {
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < context.input_count(); ++i) shapes.push_back(context.tensor(i).shape());
  const Dims dims = static_dims(concatenated(context, shapes));
  const std::size_t axis = normalize_axis(context, context.integer("axis"), dims.size());
  Tensor joined = Tensor::zeros(context.tensor(0).type(), dims);
  const Dims strides = strides_of(dims);
  std::int64_t start = 0;
  for (std::size_t i = 0; i < context.input_count(); ++i) {
    const Tensor& part = context.tensor(i);
    copy_block(part.dims(), joined, {start * strides[axis], strides}, part, {0, strides_of(part.dims())});
    start += part.dim(axis);
  }
  context.output(0, std::move(joined));
}

/// Lengths given for the parts; they must add up to `dim`.
void check_parts(const NodeReader& node, Dim dim, const Contents& parts) {
  if (parts.size() != node.output_count()) node.fail("{} parts for {} outputs", parts.size(), node.output_count());
  Dim total = 0;
  for (const Dim part : parts) {
    if (part.known() && (part.value() < 0 || (dim.known() && part.value() > dim.value())))
      node.fail("a part has length {}", part.value());
    total = total + part;
  }
  if (total.known() && dim.known() && total != dim)
    node.fail("parts of {} in all for a dimension of {}", total.text(), dim.text());
}

/// Lengths written down as numbers.
Contents number_parts(const NodeReader& node, Dim dim, std::span<const std::int64_t> given) {
  Contents parts;
  for (const std::int64_t length : given) {
    if (length < 0) node.fail("a part has length {}", length);
    parts.emplace_back(length);
  }
  check_parts(node, dim, parts);
  return parts;
}

/// Lengths when none are given: equal ones, from opset 18 on with a shorter last one.
Contents even_parts(const NodeReader& node, Dim dim) {
  const auto count = static_cast<std::int64_t>(node.output_count());
  if (count == 0) node.fail("there are no outputs");
  if (node.has_attribute("num_outputs") && node.integer("num_outputs") != count)
    node.fail("num_outputs is {}, but there are {}", node.integer("num_outputs"), count);
  const bool uneven = node.version() >= 18;
  if (!uneven && dim.known() && dim.value() % count != 0)
    node.fail("{} does not split into {} equal parts", dim.value(), count);
  const Dim part = uneven ? ceil_div(dim, count) : floor_div(dim, count);
  Contents parts(node.output_count(), part);
  if (uneven) parts.back() = dim - part * (count - 1);
  if (parts.back().known() && parts.back().value() < 0)
    node.fail("{} does not split into {} parts", dim.value(), count);
  return parts;
}

bool parts_as_attribute(const NodeReader& node) { return node.version() < 13 && node.has_attribute("split"); }

/// Hands each output its part of a small list of known contents.
void split_contents(InferContext& context, const Contents& contents, const Contents& parts) {
  auto first = contents.begin();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].known() || parts[i].value() > contents.end() - first) return;
    context.output_contents(i, Contents(first, first + parts[i].value()));
    first += parts[i].value();
  }
}

void infer_split(InferContext& context) {
  const Shape* input = context.shape(0);
  if (input == nullptr) {
    for (std::size_t i = 0; i < context.output_count(); ++i) context.output(i, context.element(0));
    return;
  }
  const std::size_t axis = normalize_axis(context, context.integer("axis"), input->size());
  const Dim dim = (*input)[axis];
  Contents parts(context.output_count());
  if (context.has_input(1)) {
    if (auto given = context.contents(1)) parts = *given;
    check_parts(context, dim, parts);
  } else {
    parts =
        parts_as_attribute(context) ? number_parts(context, dim, context.integers("split")) : even_parts(context, dim);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Shape shape = *input;
    shape[axis] = parts[i];
    context.output(i, context.element(0), shape);
  }
  if (auto contents = context.contents(0); contents && input->size() == 1) split_contents(context, *contents, parts);
}

void evaluate_split(EvaluateContext& context) {
  const Tensor& input = context.tensor(0);
  const std::size_t axis = normalize_axis(context, context.integer("axis"), input.rank());
  Contents parts;
  if (context.has_input(1)) parts = number_parts(context, input.dim(axis), context.tensor(1).integers());
  else if (parts_as_attribute(context)) parts = number_parts(context, input.dim(axis), context.integers("split"));
  else parts = even_parts(context, input.dim(axis));
  const Dims strides = strides_of(input.dims());
  std::int64_t start = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Dims dims = input.dims();
    dims[axis] = parts[i].value();
    context.output(i, strided_copy(input, dims, {start * strides[axis], strides}));
    start += parts[i].value();
  }
}

// clang-format off
const OpFamily join_family({
    {.name = "Concat", .versions = {1, 4, 11, 13}, .inputs = {1, kMany},
     .attributes = {integer("axis", 1).until(4), integer("axis").since(4)},
     .kind = OpKind::movement, .degree = Degree::copy, .infer = infer_concat, .evaluate = evaluate_concat},
    {.name = "Split", .versions = {1, 2, 11, 13, 18}, .inputs = {1, 2}, .outputs = {1, kMany},
     .attributes = {integer("axis", 0), integers("split").until(13), integer("num_outputs").since(18)},
     .kind = OpKind::movement, .degree = Degree::copy, .infer = infer_split, .evaluate = evaluate_split},
});
// clang-format on

}  // namespace
}  // namespace hone
