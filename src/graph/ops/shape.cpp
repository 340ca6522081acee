#include <algorithm>

#include "graph/ops/axes.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"

// Operators that say how large a tensor is, or where it is not zero.

namespace hone {
namespace {

/// The axes between the node's `start` and `end`, clamped.
struct AxisRange {
  std::size_t first = 0;
  std::size_t last = 0;  // one past
};

AxisRange axis_range(const NodeReader& node, std::size_t rank) {
  const auto count = static_cast<std::int64_t>(rank);
  if (node.version() < 15) return {0, rank};
  const auto clamped = [&](std::int64_t axis) {
    return std::clamp<std::int64_t>(axis < 0 ? axis + count : axis, 0, count);
  };
  const std::int64_t first = clamped(node.integer("start"));
  const std::int64_t last = node.has_attribute("end") ? clamped(node.integer("end")) : count;
  return {static_cast<std::size_t>(first), static_cast<std::size_t>(std::max(first, last))};
}

void infer_shape(InferContext& context) {
  const Shape* input = context.shape(0);
  if (input == nullptr) return context.output(0, ElementType::int64, Shape(1));
  const AxisRange range = axis_range(context, input->size());
  context.output(0, ElementType::int64, {static_cast<std::int64_t>(range.last - range.first)});
  context.output_contents(0, Contents(input->begin() + range.first, input->begin() + range.last));
}

void evaluate_shape(EvaluateContext& context) {
  const Dims& dims = context.tensor(0).dims();
  const AxisRange range = axis_range(context, dims.size());
  context.output(0, Tensor::vector(std::span(dims.begin() + range.first, dims.begin() + range.last)));
}

void infer_size(InferContext& context) {
  context.output(0, ElementType::int64, Shape{});
  if (context.shape(0) != nullptr) context.output_contents(0, {element_count(*context.shape(0))});
}

void evaluate_size(EvaluateContext& context) {
  context.output(0, Tensor::scalar(static_cast<std::int64_t>(context.tensor(0).count())));
}

void infer_non_zero(InferContext& context) {
  Shape shape(2);
  if (context.shape(0) != nullptr) shape[0] = static_cast<std::int64_t>(context.shape(0)->size());
  context.output(0, ElementType::int64, shape);
}

void evaluate_non_zero(EvaluateContext& context) {
  const Tensor& input = context.tensor(0);
  std::vector<std::int64_t> coordinates;  // one tuple after the other
  std::int64_t found = 0;
  dispatch_number(input.type(), [&](auto zero) {
    using T = decltype(zero);
    const std::span<const T> values = input.values<T>();
    for (StridedWalk walk(input.dims(), {}); !walk.done(); walk.next()) {
      if (values[walk.position()] == T(zero)) continue;
      ++found;
      for (std::size_t axis = 0; axis < input.rank(); ++axis) coordinates.push_back(walk.index(axis));
    }
  });
  const auto rank = static_cast<std::int64_t>(input.rank());
  Tensor result = Tensor::zeros(ElementType::int64, {rank, found});
  const std::span<std::int64_t> out = result.write<std::int64_t>();
  for (std::int64_t axis = 0; axis < rank; ++axis)
    for (std::int64_t i = 0; i < found; ++i)
      out[static_cast<std::size_t>(axis * found + i)] = coordinates[static_cast<std::size_t>(i * rank + axis)];
  context.output(0, std::move(result));
}

/// The input's elements are not looked at.
double shape_bytes(const CostContext& context) { return context.output_bytes(0); }

// clang-format off
const OpFamily shape_family({
    {.name = "Shape", .versions = {1, 13, 15, 19, 21, 23, 24},
     .attributes = {integer("start", 0).since(15), integer("end").since(15)},
     .kind = OpKind::movement, .infer = infer_shape, .evaluate = evaluate_shape, .bytes = shape_bytes},
    {.name = "Size", .versions = {1, 13, 19, 21, 23, 24},
     .kind = OpKind::movement, .infer = infer_size, .evaluate = evaluate_size, .bytes = shape_bytes},
    {.name = "NonZero", .versions = {9, 13},
     .kind = OpKind::movement, .infer = infer_non_zero, .evaluate = evaluate_non_zero},
});
// clang-format on

}  // namespace
}  // namespace hone
