#include <algorithm>
#include <limits>

#include "graph/loops/operator_loop.h"
#include "graph/ops/axes.h"

// Operators whose elements depend on all elements along some axes.

namespace hone {
namespace {

using RowValues = std::span<const LoopValue>;
using RowBody = std::function<LoopValue(LoopBody&, RowValues)>;
using RowLoop = std::optional<OperatorLoop>;

/// Loops over the first input, with some of its axes folded.
OperatorLoop loop_over_rows(const LoopContext& context, std::vector<std::size_t> folded, RowBody body) {
  OperatorLoop loop{.space = context.dims(0), .folded = std::move(folded), .inputs = {0}};
  loop.writes = strides_of(loop.space);
  loop.reads = {{.strides = loop.writes}};
  loop.body = std::move(body);
  return loop;
}

double points_of_row(const OperatorLoop& loop) {
  double points = 1;
  for (const std::size_t axis : loop.folded) points *= static_cast<double>(loop.space[axis]);
  return points;
}

/// The result has the axes that are not folded, one after another.
void write_by_row(OperatorLoop& loop) {
  std::int64_t stride = 1;
  for (std::size_t axis = loop.space.size(); axis-- > 0;) {
    const bool is_folded = std::ranges::count(loop.folded, axis) > 0;
    loop.writes[axis] = is_folded ? 0 : stride;
    if (!is_folded) stride *= loop.space[axis];
  }
}

std::vector<std::size_t> axes_from(std::size_t first, std::size_t rank) {
  std::vector<std::size_t> axes;
  for (std::size_t axis = first; axis < rank; ++axis) axes.push_back(axis);
  return axes;
}

/// Axes of a reduction by attribute or constant input; none given means all, unless told otherwise.
std::optional<std::vector<std::size_t>> reduced_axes(const LoopContext& context) {
  const std::size_t rank = context.dims(0).size();
  std::vector<std::int64_t> given;
  if (context.has_input(1)) {
    const auto constant = context.integers_input(1);
    if (!constant) return std::nullopt;
    given = *constant;
  } else if (context.has_attribute("axes")) {
    given = context.integers("axes");
  }
  if (!given.empty()) return normalize_axes(context, given, rank);
  const bool keeps_all = context.has_attribute("noop_with_empty_axes") && context.integer("noop_with_empty_axes") != 0;
  return keeps_all ? std::nullopt : std::optional(axes_from(0, rank));
}

enum class RowMeasure { sum, mean, absolute, square, length, log_sum, log_sum_exp, product, largest, smallest };

LoopValue largest_finite(LoopBody& body, LoopValue x) {
  const double low =
      body.reals() == LoopType::wide ? -std::numeric_limits<double>::max() : -double{std::numeric_limits<float>::max()};
  return body.apply(LoopOp::maximum, {body.apply(LoopOp::row_maximum, {x}), body.real(low)});
}

LoopValue measure_row(LoopBody& body, LoopValue x, RowMeasure measure, double points) {
  const auto sum = [&](LoopValue value) { return body.apply(LoopOp::row_sum, {value}); };
  switch (measure) {
    case RowMeasure::sum: return sum(x);
    case RowMeasure::mean: return body.divide(sum(x), body.real(points));
    case RowMeasure::absolute: return sum(body.apply(LoopOp::absolute, {x}));
    case RowMeasure::square: return sum(body.multiply(x, x));
    case RowMeasure::length: return body.apply(LoopOp::sqrt, {sum(body.multiply(x, x))});
    case RowMeasure::log_sum: return body.apply(LoopOp::log, {sum(x)});
    case RowMeasure::log_sum_exp: {
      const LoopValue top = largest_finite(body, x);
      return body.add(top, body.apply(LoopOp::log, {sum(body.apply(LoopOp::exp, {body.subtract(x, top)}))}));
    }
    case RowMeasure::product: return body.apply(LoopOp::row_product, {x});
    case RowMeasure::largest: return body.apply(LoopOp::row_maximum, {x});
    case RowMeasure::smallest: return body.apply(LoopOp::row_minimum, {x});
  }
  return x;
}

/// Integers are folded where that is exact in any order and a set without elements does not occur.
bool can_fold(const LoopContext& context, RowMeasure measure, double points) {
  if (is_loop_real(context.element(0))) return true;
  if (points == 0 || !is_integer(context.element(0))) return false;
  switch (measure) {
    case RowMeasure::largest:
    case RowMeasure::smallest: return context.element(0) != ElementType::uint64;
    case RowMeasure::sum:
    case RowMeasure::product:
    case RowMeasure::square: return true;
    default: return false;
  }
}

/// Asked to fold no axes, a reduction gives its input.
bool folds_nothing(const LoopContext& context) {
  const bool by_input = context.has_input(1) && context.integers_input(1) && context.integers_input(1)->empty();
  const bool none = by_input || (!context.has_input(1) && !context.has_attribute("axes"));
  return none && context.has_attribute("noop_with_empty_axes") && context.integer("noop_with_empty_axes") != 0;
}

template <RowMeasure measure>
RowLoop describe_reduction(const LoopContext& context, std::size_t) {
  constexpr bool keeps = measure == RowMeasure::sum || measure == RowMeasure::mean || measure == RowMeasure::product ||
                         measure == RowMeasure::largest || measure == RowMeasure::smallest;
  if (keeps && folds_nothing(context)) {
    OperatorLoop copy = loop_over_rows(context, {}, {});
    return copy;
  }
  const auto axes = reduced_axes(context);
  if (!axes) return std::nullopt;
  OperatorLoop loop = loop_over_rows(context, *axes, {});
  const double points = points_of_row(loop);
  if (!can_fold(context, measure, points)) return std::nullopt;
  write_by_row(loop);
  loop.body = [points](LoopBody& body, RowValues x) { return measure_row(body, x[0], measure, points); };
  return loop;
}

template <RowMeasure measure>
RowLoop describe_global_pool(const LoopContext& context, std::size_t) {
  const std::size_t rank = context.dims(0).size();
  if (!is_loop_real(context.element(0)) || rank < 3) return std::nullopt;
  OperatorLoop loop = loop_over_rows(context, axes_from(2, rank), {});
  write_by_row(loop);
  loop.body = [points = points_of_row(loop)](LoopBody& body, RowValues x) {
    return measure_row(body, x[0], measure, points);
  };
  return loop;
}

/// Before opset 13 all axes from `axis` on are one row.
std::optional<std::vector<std::size_t>> softmax_axes(const LoopContext& context) {
  const std::size_t rank = context.dims(0).size();
  const std::int64_t given = context.integer("axis");
  if (rank == 0 || (context.version() < 13 && given == static_cast<std::int64_t>(rank))) return std::nullopt;
  const std::size_t axis = normalize_axis(context, given, rank);
  return context.version() < 13 ? axes_from(axis, rank) : std::vector<std::size_t>{axis};
}

template <LoopValue (*normalize)(LoopBody&, LoopValue)>
RowLoop describe_softmax(const LoopContext& context, std::size_t) {
  if (!is_loop_real(context.element(0))) return std::nullopt;
  const auto axes = softmax_axes(context);
  if (!axes) return std::nullopt;
  return loop_over_rows(context, *axes, [](LoopBody& body, RowValues x) { return normalize(body, x[0]); });
}

LoopValue softmax(LoopBody& body, LoopValue x) {
  const LoopValue power = body.apply(LoopOp::exp, {body.subtract(x, body.apply(LoopOp::row_maximum, {x}))});
  return body.multiply(power, body.apply(LoopOp::reciprocal, {body.apply(LoopOp::row_sum, {power})}));
}

LoopValue log_softmax(LoopBody& body, LoopValue x) {
  const LoopValue below = body.subtract(x, body.apply(LoopOp::row_maximum, {x}));
  const LoopValue total = body.apply(LoopOp::row_sum, {body.apply(LoopOp::exp, {below})});
  return body.subtract(below, body.apply(LoopOp::log, {total}));
}

struct RowStatistics {
  LoopValue mean, centred, inverse_deviation;
};

RowStatistics statistics_of(LoopBody& body, LoopValue x, double points, double epsilon) {
  const LoopValue share = body.real(1 / points);
  const LoopValue mean = body.multiply(body.apply(LoopOp::row_sum, {x}), share);
  const LoopValue centred = body.subtract(x, mean);
  const LoopValue variance = body.multiply(body.apply(LoopOp::row_sum, {body.multiply(centred, centred)}), share);
  const LoopValue deviation = body.apply(LoopOp::sqrt, {body.add(variance, body.real(epsilon))});
  return {.mean = mean, .centred = centred, .inverse_deviation = body.apply(LoopOp::reciprocal, {deviation})};
}

/// The elements of a row less their mean, divided by their deviation.
LoopValue standardized(LoopBody& body, LoopValue x, double points, double epsilon) {
  const RowStatistics row = statistics_of(body, x, points, epsilon);
  return body.multiply(row.centred, row.inverse_deviation);
}

/// A loop over rows that begin at `axis`, with scale and perhaps shift by column.
RowLoop normalization_by_column(const LoopContext& context, RowBody body) {
  if (!is_loop_real(context.element(0))) return std::nullopt;
  const Dims dims = context.dims(0);
  if (dims.empty()) return std::nullopt;
  const std::size_t axis = normalize_axis(context, context.integer("axis"), dims.size());
  OperatorLoop loop = loop_over_rows(context, axes_from(axis, dims.size()), std::move(body));
  for (std::size_t i = 1; i < context.input_count(); ++i) {
    if (!context.has_input(i)) continue;
    loop.inputs.push_back(i);
    loop.reads.push_back({.strides = broadcast_strides(context.dims(i), dims)});
  }
  return loop;
}

/// Mean or inverse deviation by row.
RowLoop describe_statistics(const LoopContext& context, std::size_t output) {
  const Dims dims = context.dims(0);
  const std::size_t axis = normalize_axis(context, context.integer("axis"), dims.size());
  OperatorLoop loop = loop_over_rows(context, axes_from(axis, dims.size()), {});
  write_by_row(loop);
  loop.body = [=, epsilon = context.number("epsilon"), points = points_of_row(loop)](LoopBody& body, RowValues x) {
    const RowStatistics row = statistics_of(body, x[0], points, epsilon);
    return output == 1 ? row.mean : row.inverse_deviation;
  };
  return loop;
}

RowLoop describe_layer_normalization(const LoopContext& context, std::size_t output) {
  RowLoop loop = normalization_by_column(context, {});
  if (!loop || output > 0) return loop ? describe_statistics(context, output) : std::nullopt;
  loop->body = [epsilon = context.number("epsilon"), points = points_of_row(*loop)](LoopBody& body, RowValues x) {
    const LoopValue scaled = body.multiply(standardized(body, x[0], points, epsilon), x[1]);
    return x.size() > 2 ? body.add(scaled, x[2]) : scaled;
  };
  return loop;
}

RowLoop describe_rms_normalization(const LoopContext& context, std::size_t) {
  RowLoop loop = normalization_by_column(context, {});
  if (!loop) return loop;
  loop->body = [epsilon = context.number("epsilon"), points = points_of_row(*loop)](LoopBody& body, RowValues x) {
    const LoopValue square = body.apply(LoopOp::row_sum, {body.multiply(x[0], x[0])});
    const LoopValue mean = body.add(body.multiply(square, body.real(1 / points)), body.real(epsilon));
    const LoopValue factor = body.apply(LoopOp::reciprocal, {body.apply(LoopOp::sqrt, {mean})});
    return body.multiply(body.multiply(x[0], factor), x[1]);
  };
  return loop;
}

RowLoop describe_instance_normalization(const LoopContext& context, std::size_t) {
  const Dims dims = context.dims(0);
  if (!is_loop_real(context.element(0)) || dims.size() < 3) return std::nullopt;
  OperatorLoop loop = loop_over_rows(context, axes_from(2, dims.size()), {});
  Dims channel(dims.size(), 0);
  channel[1] = 1;
  loop.inputs = {0, 1, 2};
  loop.reads.push_back({.strides = channel});
  loop.reads.push_back({.strides = channel});
  loop.body = [epsilon = context.number("epsilon"), points = points_of_row(loop)](LoopBody& body, RowValues x) {
    return body.add(body.multiply(standardized(body, x[0], points, epsilon), x[1]), x[2]);
  };
  return loop;
}

/// A product of matrices, or stacks of them: a point for every pair of elements that is multiplied.
RowLoop describe_matrix_product(const LoopContext& context) {
  Dims a = context.dims(0), b = context.dims(1);
  if (a.empty() || b.empty() || context.element(0) != context.element(1)) return std::nullopt;
  const bool has_rows = a.size() > 1, has_columns = b.size() > 1;
  if (!has_rows) a.insert(0, 1);
  if (!has_columns) b.push_back(1);
  Dims result = context.output_dims(0);
  if (!has_rows) result.insert(result.size() - (has_columns ? 1 : 0), 1);
  if (!has_columns) result.push_back(1);
  const std::size_t last = result.size();  // of the axis that is folded
  OperatorLoop loop{.space = result, .folded = {last}, .inputs = {0, 1}};
  loop.space.push_back(a[a.size() - 1]);
  loop.writes = strides_of(result);
  loop.writes.push_back(0);
  const auto read = [&](const Dims& dims, std::size_t own, std::size_t folded) {
    Dims strides(result.size() + 1, 0);
    const Dims own_strides = strides_of(dims);
    for (std::size_t i = 0; i + 2 < dims.size(); ++i)
      strides[result.size() - dims.size() + i] = dims[i] == 1 ? 0 : own_strides[i];
    strides[result.size() - 2 + own] = dims[dims.size() - 2 + own] == 1 ? 0 : own_strides[dims.size() - 2 + own];
    strides[last] = own_strides[dims.size() - 2 + folded];
    return LoopRead{.strides = strides};
  };
  loop.reads = {read(a, 0, 1), read(b, 1, 0)};
  loop.body = [](LoopBody& body, RowValues x) { return body.apply(LoopOp::row_sum, {body.multiply(x[0], x[1])}); };
  return loop;
}

/// The product of a matrix and a vector: every element is the sum of a row. Others of floats are no work for loops.
RowLoop describe_product(const LoopContext& context, std::size_t) {
  if (context.element(0) != ElementType::float32) return describe_matrix_product(context);
  const Dims a = context.dims(0), b = context.dims(1), result = context.output_dims(0);
  if (a.size() < 2 || b.size() < 2) return describe_matrix_product(context);
  if (b[b.size() - 1] != 1) return std::nullopt;
  OperatorLoop loop{.space = result, .inputs = {0, 1}};
  const std::size_t last = result.size() - 1;
  loop.space[last] = a[a.size() - 1];
  loop.folded = {last};
  Dims vector = broadcast_strides(b, [&] {
    Dims target = result;
    target[last - 1] = b[b.size() - 2];
    return target;
  }());
  vector[last] = vector[last - 1];
  vector[last - 1] = 0;
  loop.reads = {{.strides = broadcast_strides(a, loop.space)}, {.strides = vector}};
  loop.writes = strides_of(result);
  loop.writes[last] = 0;
  loop.body = [](LoopBody& body, RowValues x) { return body.apply(LoopOp::row_sum, {body.multiply(x[0], x[1])}); };
  return loop;
}

const LoopFamily row_loops({
    {"ReduceSum", describe_reduction<RowMeasure::sum>},
    {"ReduceMean", describe_reduction<RowMeasure::mean>},
    {"ReduceL1", describe_reduction<RowMeasure::absolute>},
    {"ReduceL2", describe_reduction<RowMeasure::length>},
    {"ReduceSumSquare", describe_reduction<RowMeasure::square>},
    {"ReduceLogSum", describe_reduction<RowMeasure::log_sum>},
    {"ReduceLogSumExp", describe_reduction<RowMeasure::log_sum_exp>},
    {"ReduceProd", describe_reduction<RowMeasure::product>},
    {"ReduceMax", describe_reduction<RowMeasure::largest>},
    {"ReduceMin", describe_reduction<RowMeasure::smallest>},
    {"GlobalAveragePool", describe_global_pool<RowMeasure::mean>},
    {"GlobalMaxPool", describe_global_pool<RowMeasure::largest>},
    {"Softmax", describe_softmax<softmax>},
    {"LogSoftmax", describe_softmax<log_softmax>},
    {"LayerNormalization", describe_layer_normalization},
    {"RMSNormalization", describe_rms_normalization},
    {"InstanceNormalization", describe_instance_normalization},
    {"MatMul", describe_product},
});

}  // namespace
}  // namespace hone
