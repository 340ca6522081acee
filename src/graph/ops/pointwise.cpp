#include "graph/ops/pointwise.h"

#include <algorithm>

#include "graph/ops/cost_context.h"

namespace hone {
namespace {

/// Before opset 7 the second operand could be aligned with axes of the first that are not the last: the number of axes
/// of the first that follow it.
std::size_t legacy_trailing_axes(const NodeReader& node, std::size_t rank_a, std::size_t rank_b) {
  const bool aligned = node.version() < 7 && node.has_attribute("axis") && node.has_attribute("broadcast");
  if (!aligned || node.integer("broadcast") == 0 || rank_a == 0) return 0;
  const std::size_t axis = normalize_axis(node, node.integer("axis"), rank_a);
  if (axis + rank_b > rank_a) node.fail("axis {} leaves no room for an operand of rank {}", axis, rank_b);
  return rank_a - axis - rank_b;
}

bool holds_shape_arithmetic(ElementType type) {
  return type == ElementType::int64 || type == ElementType::int32 || type == ElementType::boolean;
}

}  // namespace

BroadcastRuns::BroadcastRuns(const NodeReader& node, std::initializer_list<Dims> operands)
    : dims_(broadcast_all(node, operands)),
      axes_(joined_axes(dims_, operands)),
      walk_(axes_.outer, {&axes_.outer_strides[0], &axes_.outer_strides[1], &axes_.outer_strides[2]}) {}

Dims BroadcastRuns::broadcast_all(const NodeReader& node, std::initializer_list<Dims> operands) {
  HONE_CHECK(operands.size() <= kMaxOperands);
  Dims dims;
  for (const Dims& operand : operands) dims = broadcast(node, dims, operand);
  return dims;
}

BroadcastRuns::Axes BroadcastRuns::joined_axes(const Dims& target, std::initializer_list<Dims> operands) {
  Dims strides[kMaxOperands];
  for (Dims& s : strides) s = Dims(target.size(), 0);
  std::transform(operands.begin(), operands.end(), strides,
                 [&](const Dims& operand) { return broadcast_strides(operand, target); });
  Axes axes;
  for (std::size_t axis = 0; axis < target.size(); ++axis) {
    if (target[axis] == 1) continue;
    bool joins = !axes.outer.empty();
    for (std::size_t k = 0; k < kMaxOperands && joins; ++k)
      joins = axes.outer_strides[k].back() == target[axis] * strides[k][axis];
    if (joins) axes.outer.back() *= target[axis];
    else axes.outer.push_back(target[axis]);
    for (std::size_t k = 0; k < kMaxOperands; ++k) {
      if (joins) axes.outer_strides[k].back() = strides[k][axis];
      else axes.outer_strides[k].push_back(strides[k][axis]);
    }
  }
  if (axes.outer.empty()) return axes;
  // The innermost axis is the run.
  axes.length = static_cast<std::size_t>(axes.outer.back());
  axes.outer.pop_back();
  for (std::size_t k = 0; k < kMaxOperands; ++k) {
    axes.steps[k] = static_cast<std::size_t>(axes.outer_strides[k].back());
    axes.outer_strides[k].pop_back();
  }
  return axes;
}

Tensor legacy_aligned(const NodeReader& node, const Tensor& a, const Tensor& b) {
  Dims dims = b.dims();
  dims.resize(dims.size() + legacy_trailing_axes(node, a.rank(), b.rank()), 1);
  return b.reshaped(dims);
}

BinaryOperands binary_operands(const EvaluateContext& context) {
  const Tensor &a = context.tensor(0), &b = context.tensor(1);
  if (a.type() != b.type())
    context.fail("operands have different types, {} and {}", name_of(a.type()), name_of(b.type()));
  return {a, legacy_aligned(context, a, b)};
}

void infer_like_input(InferContext& context) { context.output(0, context.type(0)); }

void infer_like_input(InferContext& context, ElementType element) {
  if (context.shape(0) == nullptr) return context.output(0, element);
  context.output(0, element, *context.shape(0));
}

void infer_broadcast(InferContext& context) {
  ElementType element = ElementType::undefined;
  for (std::size_t i = 0; i < context.input_count() && element == ElementType::undefined; ++i)
    element = context.element(i);
  infer_broadcast(context, element);
}

void infer_broadcast(InferContext& context, ElementType element) {
  Shape shape;
  for (std::size_t i = 0; i < context.input_count(); ++i) {
    if (context.shape(i) == nullptr) return context.output(0, element);
    Shape operand = *context.shape(i);
    if (i == 1) operand.resize(operand.size() + legacy_trailing_axes(context, shape.size(), operand.size()), 1);
    shape = broadcast(context, shape, operand);
  }
  context.output(0, element, shape);
}

void infer_contents(InferContext& context, Dim (*change)(Dim)) {
  std::optional<Contents> contents = context.contents(0);
  if (!contents || !holds_shape_arithmetic(context.outputs()[0].type.element)) return;
  for (Dim& d : *contents) d = change(d);
  context.output_contents(0, *std::move(contents));
}

void infer_contents(InferContext& context, Dim (*combine)(Dim, Dim)) {
  const Type& type = context.outputs()[0].type;
  if (!type.ranked || !holds_shape_arithmetic(type.element) || !holds_shape_arithmetic(context.element(0))) return;
  const std::optional<Contents> a = context.contents(0), b = context.contents(1);
  if (!a || !b || a->empty() || b->empty()) return;
  const std::size_t count = std::max(a->size(), b->size());
  const bool matched = (a->size() == count || a->size() == 1) && (b->size() == count || b->size() == 1);
  // A column and a row of equal length give a matrix, which is no shape arithmetic.
  if (!matched || element_count(type.shape) != Dim(static_cast<std::int64_t>(count))) return;
  Contents contents;
  for (std::size_t i = 0; i < count; ++i)
    contents.push_back(combine((*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]));
  context.output_contents(0, std::move(contents));
}

ElementType element_type_attribute(const NodeReader& node, std::string_view name) {
  const std::int64_t number = node.integer(name);
  if (!is_known_element_type(number)) node.fail("attribute '{}' is {}, which is no element type", name, number);
  return static_cast<ElementType>(number);
}

double flops_of_fold(const CostContext& context) {
  const std::size_t steps = std::max<std::size_t>(context.input_count(), 2) - 1;
  return static_cast<double>(steps) * context.output_elements(0);
}

OpEntry unary_operator(std::string_view name, std::vector<int> versions, void (*evaluate)(EvaluateContext&),
                       std::vector<AttributeSpec> attributes) {
  return {.name = name,
          .versions = std::move(versions),
          .attributes = std::move(attributes),
          .kind = OpKind::pointwise,
          .infer = infer_like_input,
          .evaluate = evaluate};
}

std::vector<AttributeSpec> legacy_broadcast_attributes() {
  return {integer("axis").until(7), integer("broadcast", 0).until(7)};
}

}  // namespace hone
