#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "graph/ops/axes.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"
#include "graph/ops/numbers.h"

// Folds over any set of axes.

namespace hone {
namespace {

/// Integers wrap, so they are added and multiplied without sign.
template <class N>
N sum_of(N a, N b) {
  if constexpr (std::is_integral_v<N>)
    return static_cast<N>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  else return a + b;
}
template <class N>
N product_of(N a, N b) {
  if constexpr (std::is_integral_v<N>)
    return static_cast<N>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  else return a * b;
}

// Each fold has a state, a step that takes in one element, and a result. N is the wide type of the elements: double,
// int64 or uint64. A state that has taken in nothing gives the result for an empty set.

template <class N>
struct SumFold {
  N total = 0;
  void take(N x) { total = sum_of(total, x); }
  N result(std::int64_t) const { return total; }
};

template <class N>
struct MeanFold : SumFold<N> {
  N result(std::int64_t count) const {
    if constexpr (std::is_integral_v<N>) return count == 0 ? 0 : this->total / static_cast<N>(count);
    else return this->total / static_cast<N>(count);
  }
};

template <class N>
struct ProductFold {
  N total = 1;
  void take(N x) { total = product_of(total, x); }
  N result(std::int64_t) const { return total; }
};

template <class N>
constexpr N kLowest = std::is_integral_v<N> ? std::numeric_limits<N>::lowest() : -std::numeric_limits<N>::infinity();
template <class N>
constexpr N kHighest = std::is_integral_v<N> ? std::numeric_limits<N>::max() : std::numeric_limits<N>::infinity();

template <class N>
struct MaxFold {
  N best = kLowest<N>;
  void take(N x) {
    if (x > best || x != x) best = x;  // a NaN wins, and nothing is greater than it
  }
  N result(std::int64_t) const { return best; }
};

template <class N>
struct MinFold {
  N best = kHighest<N>;
  void take(N x) {
    if (x < best || x != x) best = x;
  }
  N result(std::int64_t) const { return best; }
};

template <class N>
struct L1Fold : SumFold<N> {
  void take(N x) { SumFold<N>::take(x < 0 ? product_of(x, static_cast<N>(-1)) : x); }
};

template <class N>
struct SumSquareFold : SumFold<N> {
  void take(N x) { SumFold<N>::take(product_of(x, x)); }
};

template <class N>
struct L2Fold : SumFold<double> {
  void take(N x) { total += static_cast<double>(x) * static_cast<double>(x); }
  N result(std::int64_t) const { return static_cast<N>(std::sqrt(total)); }
};

/// log(0) is minus infinity, which an integer type can only approach.
template <class N>
N logarithm(double x) {
  if (std::is_integral_v<N> && !(x > 0)) return kLowest<N>;
  return static_cast<N>(std::log(x));
}

template <class N>
struct LogSumFold : SumFold<N> {
  N result(std::int64_t) const { return logarithm<N>(static_cast<double>(this->total)); }
};

/// Keeps the sum relative to the greatest exponent so far, so that it cannot overflow.
template <class N>
struct LogSumExpFold {
  double greatest = -std::numeric_limits<double>::infinity();
  double sum = 0;
  void take(N element) {
    const auto x = static_cast<double>(element);
    if (x == greatest) {
      if (x != kLowest<double>) sum += 1;
    } else if (x < greatest) {
      sum += std::exp(x - greatest);
    } else {
      sum = sum * std::exp(greatest - x) + 1;
      greatest = x;
    }
  }
  N result(std::int64_t) const { return sum == 0 ? logarithm<N>(0) : static_cast<N>(greatest + std::log(sum)); }
};

/// Axes became an input in the version after the last one that has the attribute.
bool axes_are_input(const NodeReader& node) {
  return std::ranges::any_of(node.entry().attributes, [&](const AttributeSpec& spec) {
    return spec.name == "axes" && spec.last < node.version();
  });
}

/// The reduced axes, sorted; none given means all of them, or none when the node says so.
std::vector<std::size_t> reduced_axes(const NodeReader& node, std::span<const std::int64_t> given, std::size_t rank) {
  if (!given.empty()) return normalize_axes(node, given, rank);
  std::vector<std::size_t> all;
  if (axes_are_input(node) && node.integer("noop_with_empty_axes") != 0) return all;
  for (std::size_t i = 0; i < rank; ++i) all.push_back(i);
  return all;
}

bool reduces(const std::vector<std::size_t>& axes, std::size_t axis) {
  return std::binary_search(axes.begin(), axes.end(), axis);
}

Shape reduced(const NodeReader& node, const Shape& shape, const std::vector<std::size_t>& axes) {
  const bool keep = node.integer("keepdims") != 0;
  Shape result;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!reduces(axes, i)) result.push_back(shape[i]);
    else if (keep) result.push_back(1);
  }
  return result;
}

/// The fold of known contents, as in exporters' products of dims.
std::optional<Dim> folded(const NodeReader& node, const Contents& contents) {
  const std::string_view name = node.entry().name;
  if (name == "ReduceSum" || name == "ReduceProd") {
    Dim total = name == "ReduceSum" ? 0 : 1;
    for (const Dim d : contents) total = name == "ReduceSum" ? total + d : total * d;
    return total;
  }
  if ((name != "ReduceMax" && name != "ReduceMin") || contents.empty()) return std::nullopt;
  Dim best = contents[0];
  for (const Dim d : contents) best = name == "ReduceMax" ? maximum(best, d) : minimum(best, d);
  return best;
}

void infer_reduce(InferContext& context) {
  const bool as_input = axes_are_input(context);
  const bool given = as_input ? context.has_input(1) : context.has_attribute("axes");
  std::optional<std::vector<std::int64_t>> axes = std::vector<std::int64_t>{};
  if (given) axes = as_input ? context.known_integers(1) : context.integers("axes");
  const Shape* shape = context.shape(0);
  if (shape == nullptr || !axes) {
    // Which axes go is unknown, but the rank stays when they are kept.
    if (shape != nullptr && context.integer("keepdims") != 0)
      return context.output(0, context.element(0), Shape(shape->size()));
    return context.output(0, context.element(0));
  }
  const std::vector<std::size_t> normalized = reduced_axes(context, *axes, shape->size());
  context.output(0, context.element(0), reduced(context, *shape, normalized));
  const auto contents = context.contents(0);
  if (!contents || shape->size() != 1 || normalized.empty()) return;
  if (const auto result = folded(context, *contents)) context.output_contents(0, {*result});
}

/// The type an element is widened to before it is folded.
template <class T>
using Wide = std::conditional_t<!std::is_integral_v<T>, double,
                                std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

template <class T, template <class> class Fold>
Tensor reduced_tensor(const Tensor& x, const std::vector<std::size_t>& axes, const Dims& dims) {
  Dims kept = x.dims();
  for (const std::size_t axis : axes) kept[axis] = 1;
  const Dims strides = broadcast_strides(kept, x.dims());
  std::vector<Fold<Wide<T>>> folds(buffer_size(kept));
  const std::span<const T> elements = x.values<T>();
  for (StridedWalk walk(x.dims(), {&strides}); !walk.done(); walk.next())
    folds[walk.offset(0)].take(static_cast<Wide<T>>(elements[walk.position()]));
  std::int64_t count = 1;
  for (const std::size_t axis : axes) count *= x.dim(axis);
  Tensor result = Tensor::zeros(x.type(), dims);
  for (std::size_t i = 0; i < folds.size(); ++i) result.write<T>()[i] = static_cast<T>(folds[i].result(count));
  return result;
}

template <template <class> class Fold>
void evaluate_reduce(EvaluateContext& context) {
  const Tensor& x = context.tensor(0);
  std::vector<std::int64_t> given;
  if (!axes_are_input(context)) given = context.integers("axes");
  else if (context.has_input(1)) given = context.tensor(1).integers();
  const std::vector<std::size_t> axes = reduced_axes(context, given, x.rank());
  const Dims dims = dims_of(reduced(context, x.shape(), axes));
  dispatch_number(x.type(),
                  [&](auto sample) { context.output(0, reduced_tensor<decltype(sample), Fold>(x, axes, dims)); });
}

double two_an_element(const CostContext& context) { return 2 * context.input_elements(0); }
double three_an_element(const CostContext& context) { return 3 * context.input_elements(0); }

/// Attributes of a reduction whose axes became an input in version `axes_input`.
std::vector<AttributeSpec> reduce_attributes(int axes_input) {
  return {integers("axes").until(axes_input), integer("keepdims", 1),
          integer("noop_with_empty_axes", 0).since(axes_input)};
}

// clang-format off
const OpFamily reduction_family({
    {.name = "ReduceSum", .versions = {1, 11, 13}, .inputs = {1, 2}, .attributes = reduce_attributes(13),
     .kind = OpKind::reduction, .degree = Degree::sum, .infer = infer_reduce, .evaluate = evaluate_reduce<SumFold>},
    {.name = "ReduceMean", .versions = {1, 11, 13, 18}, .inputs = {1, 2}, .attributes = reduce_attributes(18),
     .kind = OpKind::reduction, .degree = Degree::mean, .infer = infer_reduce, .evaluate = evaluate_reduce<MeanFold>},
    {.name = "ReduceMax", .versions = {1, 11, 12, 13, 18, 20}, .inputs = {1, 2}, .attributes = reduce_attributes(18),
     .kind = OpKind::reduction, .infer = infer_reduce, .evaluate = evaluate_reduce<MaxFold>},
    {.name = "ReduceMin", .versions = {1, 11, 12, 13, 18, 20}, .inputs = {1, 2}, .attributes = reduce_attributes(18),
     .kind = OpKind::reduction, .infer = infer_reduce, .evaluate = evaluate_reduce<MinFold>},
    {.name = "ReduceProd", .versions = {1, 11, 13, 18}, .inputs = {1, 2}, .attributes = reduce_attributes(18),
     .kind = OpKind::reduction, .infer = infer_reduce, .evaluate = evaluate_reduce<ProductFold>},
    {.name = "ReduceL1", .versions = {1, 11, 13, 18}, .inputs = {1, 2}, .attributes = reduce_attributes(18),
     .kind = OpKind::reduction, .infer = infer_reduce, .evaluate = evaluate_reduce<L1Fold>, .flops = two_an_element},
    {.name = "ReduceL2", .versions = {1, 11, 13, 18}, .inputs = {1, 2}, .attributes = reduce_attributes(18),
     .kind = OpKind::reduction, .infer = infer_reduce, .evaluate = evaluate_reduce<L2Fold>, .flops = two_an_element},
    {.name = "ReduceLogSum", .versions = {1, 11, 13, 18}, .inputs = {1, 2}, .attributes = reduce_attributes(18),
     .kind = OpKind::reduction, .infer = infer_reduce, .evaluate = evaluate_reduce<LogSumFold>},
    {.name = "ReduceLogSumExp", .versions = {1, 11, 13, 18}, .inputs = {1, 2}, .attributes = reduce_attributes(18),
     .kind = OpKind::reduction, .infer = infer_reduce, .evaluate = evaluate_reduce<LogSumExpFold>,
     .flops = three_an_element},
    {.name = "ReduceSumSquare", .versions = {1, 11, 13, 18}, .inputs = {1, 2}, .attributes = reduce_attributes(18),
     .kind = OpKind::reduction, .degree = Degree::square,
     .infer = infer_reduce, .evaluate = evaluate_reduce<SumSquareFold>,
     .flops = two_an_element},
});
// clang-format on

}  // namespace
}  // namespace hone
