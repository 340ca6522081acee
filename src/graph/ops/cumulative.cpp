#include "graph/ops/convert.h"
#include "graph/ops/family.h"
#include "graph/ops/pointwise.h"

// Running sums and products along an axis.

namespace hone {
namespace {

/// Integers accumulate in uint64, where they wrap as in their own type; floats in double.
template <class T>
using Accumulator = std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>;

/// A tensor seen as lines along one axis.
struct ScanLines {
  std::size_t outer = 1;   // product of the dims before the axis
  std::size_t length = 1;  // of the axis
  std::size_t inner = 1;   // product of the dims after the axis, and the step from element to element of a line
};

ScanLines lines_along(const Dims& dims, std::size_t axis) {
  ScanLines lines;
  for (std::size_t i = 0; i < dims.size(); ++i)
    (i < axis ? lines.outer : i == axis ? lines.length : lines.inner) *= static_cast<std::size_t>(dims[i]);
  return lines;
}

std::size_t scan_axis(const EvaluateContext& context) {
  const Tensor& axis = context.tensor(1);
  if (axis.count() != 1) context.fail("the axis is not a single number");
  return normalize_axis(context, axis.integer_at(0), context.tensor(0).rank());
}

/// Gives every element what `combine` makes of the ones before it on its line and, unless exclusive, itself.
template <class Combine>
void evaluate_cumulative(EvaluateContext& context, int start, Combine combine) {
  const Tensor& x = context.tensor(0);
  const ScanLines lines = lines_along(x.dims(), scan_axis(context));
  const bool exclusive = context.integer("exclusive") != 0, reverse = context.integer("reverse") != 0;
  dispatch(context, x.type(), NumberTypes{}, [&](auto zero) {
    using T = decltype(zero);
    Tensor y = Tensor::zeros(x.type(), x.dims());
    const std::span<const T> in = x.values<T>();
    const std::span<T> out = y.write<T>();
    for (std::size_t line = 0; line < lines.outer * lines.inner && lines.length > 0; ++line) {
      const std::size_t first = line / lines.inner * lines.length * lines.inner + line % lines.inner;
      auto total = static_cast<Accumulator<T>>(start);
      for (std::size_t k = 0; k < lines.length; ++k) {
        const std::size_t i = first + (reverse ? lines.length - 1 - k : k) * lines.inner;
        const auto combined = combine(total, static_cast<Accumulator<T>>(in[i]));
        if constexpr (std::is_integral_v<T>) out[i] = static_cast<T>(exclusive ? total : combined);
        else out[i] = convert<T>(exclusive ? total : combined);
        total = combined;
      }
    }
    context.output(0, std::move(y));
  });
}

void evaluate_cumulative_sum(EvaluateContext& context) {
  evaluate_cumulative(context, 0, [](auto total, auto x) { return total + x; });
}

void evaluate_cumulative_product(EvaluateContext& context) {
  evaluate_cumulative(context, 1, [](auto total, auto x) { return total * x; });
}

// clang-format off
const OpFamily cumulative_family({
    {.name = "CumSum", .versions = {11, 14}, .inputs = {2, 2}, .attributes = {integer("exclusive", 0), integer("reverse", 0)},
     .kind = OpKind::reduction, .infer = infer_like_input, .evaluate = evaluate_cumulative_sum},
    {.name = "CumProd", .versions = {26}, .inputs = {2, 2}, .attributes = {integer("exclusive", 0), integer("reverse", 0)},
     .kind = OpKind::reduction, .infer = infer_like_input, .evaluate = evaluate_cumulative_product},
});
// clang-format on

}  // namespace
}  // namespace hone
