#include <cmath>

#include "graph/ops/axes.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"
#include "graph/ops/moments.h"
#include "graph/ops/numbers.h"

// Normalisations over the trailing axes or along one axis: layer, root-mean-square, Lp and local response.

namespace hone {
namespace {

/// Reads a parameter of the trailing axes, broadcast to them: one number for each element of a row.
std::vector<double> row_parameter(const NodeReader& node, const Tensor& parameter, const Dims& row) {
  if (broadcast(node, row, parameter.dims()) != row)
    node.fail("a parameter {} does not fit the normalised axes", text_of(parameter.shape()));
  const Numbers<double> numbers(parameter);
  const Dims strides = broadcast_strides(parameter.dims(), row);
  std::vector<double> result;
  for (StridedWalk walk(row, {&strides}); !walk.done(); walk.next()) result.push_back(numbers[walk.offset(0)]);
  return result;
}

/// The input as rows of the trailing axes from `axis` on.
struct Rows {
  Dims outer, row;
  std::size_t count = 0, length = 0;
};

Rows rows_of(const NodeReader& node, const Dims& dims) {
  const std::size_t axis = normalize_axis(node, node.integer("axis"), dims.size());
  Rows rows = {Dims(std::span(dims.data(), axis)), Dims(std::span(dims.data() + axis, dims.size() - axis))};
  rows.count = buffer_size(rows.outer);
  rows.length = buffer_size(rows.row);
  return rows;
}

/// Type in which statistics are kept, by the stash_type attribute.
ElementType stash_type(const NodeReader& node) {
  const std::int64_t type = node.integer("stash_type");
  if (!is_known_element_type(type)) node.fail("stash_type cannot be {}", type);
  return static_cast<ElementType>(type);
}

void infer_layer_normalization(InferContext& context) {
  context.output(0, context.type(0));
  const ElementType stash = stash_type(context);
  const Shape* x = context.shape(0);
  Type statistics = Type::tensor(stash);
  if (x != nullptr) {
    Shape shape = *x;
    for (std::size_t i = normalize_axis(context, context.integer("axis"), x->size()); i < x->size(); ++i) shape[i] = 1;
    statistics = Type::tensor(stash, shape);
  }
  context.output(1, statistics);
  context.output(2, statistics);
}

void evaluate_layer_normalization(EvaluateContext& context) {
  const Tensor& x = context.tensor(0);
  const Rows rows = rows_of(context, x.dims());
  const Numbers<double> numbers(x);
  const auto scale = row_parameter(context, context.tensor(1), rows.row);
  const auto bias =
      context.has_input(2) ? row_parameter(context, context.tensor(2), rows.row) : std::vector<double>(rows.length);
  const double epsilon = context.number("epsilon");
  std::vector<double> result(numbers.size()), means, inverses;
  for (std::size_t i = 0; i < rows.count; ++i) {
    const auto row = numbers.view().subspan(i * rows.length, rows.length);
    const Moments moments = moments_of(row);
    means.push_back(moments.mean);
    inverses.push_back(1 / std::sqrt(moments.variance + epsilon));
    for (std::size_t k = 0; k < row.size(); ++k)
      result[i * rows.length + k] = (row[k] - means[i]) * inverses[i] * scale[k] + bias[k];
  }
  context.output(0, tensor_of(x.type(), x.dims(), result));
  Dims kept = rows.outer;
  for (std::size_t i = 0; i < rows.row.size(); ++i) kept.push_back(1);
  if (context.wants_output(1)) context.output(1, tensor_of(stash_type(context), kept, means));
  if (context.wants_output(2)) context.output(2, tensor_of(stash_type(context), kept, inverses));
}

void infer_trailing(InferContext& context) {
  if (const Shape* x = context.shape(0)) normalize_axis(context, context.integer("axis"), x->size());
  // The result has the type of the scale where that differs.
  Type type = context.type(0);
  if (context.element(1) != ElementType::undefined) type.element = context.element(1);
  context.output(0, type);
}

void evaluate_rms_normalization(EvaluateContext& context) {
  const Tensor& x = context.tensor(0);
  const Rows rows = rows_of(context, x.dims());
  const Numbers<double> numbers(x);
  const auto scale = row_parameter(context, context.tensor(1), rows.row);
  const double epsilon = context.number("epsilon");
  std::vector<double> result(numbers.size());
  for (std::size_t i = 0; i < rows.count; ++i) {
    const auto row = numbers.view().subspan(i * rows.length, rows.length);
    double squares = 0;
    for (const double element : row) squares += element * element;
    const double inverse = 1 / std::sqrt(squares / static_cast<double>(row.size()) + epsilon);
    for (std::size_t k = 0; k < row.size(); ++k) result[i * rows.length + k] = row[k] * inverse * scale[k];
  }
  context.output(0, tensor_of(context.tensor(1).type(), x.dims(), result));
}

void infer_lp_normalization(InferContext& context) {
  if (const Shape* x = context.shape(0)) normalize_axis(context, context.integer("axis"), x->size());
  context.output(0, context.type(0));
}

void evaluate_lp_normalization(EvaluateContext& context) {
  const Tensor& x = context.tensor(0);
  const std::size_t axis = normalize_axis(context, context.integer("axis"), x.rank());
  const std::int64_t p = context.integer("p");
  if (p != 1 && p != 2) context.fail("p cannot be {}", p);
  const auto step = static_cast<std::size_t>(count_between(x.dims(), axis + 1, x.rank()));
  const auto length = static_cast<std::size_t>(x.dim(axis));
  const Numbers<double> numbers(x);
  std::vector<double> result(numbers.size());
  for (std::size_t start = 0; start < numbers.size(); start += step * length)
    for (std::size_t line = start; line < start + step; ++line) {
      double sum = 0;
      for (std::size_t i = 0; i < length; ++i) {
        const double element = numbers[line + i * step];
        sum += p == 1 ? std::abs(element) : element * element;
      }
      const double norm = p == 1 ? sum : std::sqrt(sum);
      for (std::size_t i = 0; i < length; ++i)
        result[line + i * step] = norm == 0 ? 0 : numbers[line + i * step] / norm;
    }
  context.output(0, tensor_of(x.type(), x.dims(), result));
}

void evaluate_local_response(EvaluateContext& context) {
  const Tensor& x = context.tensor(0);
  if (x.rank() < 2) context.fail("an input {} has no channels", text_of(x.shape()));
  const std::int64_t size = context.integer("size");
  if (size < 1) context.fail("size cannot be {}", size);
  const double alpha = context.number("alpha"), beta = context.number("beta"), bias = context.number("bias");
  const std::int64_t channels = x.dim(1), plane = count_between(x.dims(), 2, x.rank());
  const Numbers<double> numbers(x);
  std::vector<double> result(numbers.size());
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(numbers.size()); ++i) {
    const std::int64_t channel = i / plane % channels;
    const std::int64_t first = std::max<std::int64_t>(0, channel - (size - 1) / 2);
    const std::int64_t last = channel + std::min(channels - 1 - channel, size / 2);
    double squares = 0;
    for (std::int64_t other = first; other <= last; ++other) {
      const double element = numbers[static_cast<std::size_t>(i + (other - channel) * plane)];
      squares += element * element;
    }
    const auto at = static_cast<std::size_t>(i);
    result[at] = numbers[at] / std::pow(bias + alpha / static_cast<double>(size) * squares, beta);
  }
  context.output(0, tensor_of(x.type(), x.dims(), result));
}

void evaluate_mean_variance(EvaluateContext& context) {
  const Tensor& x = context.tensor(0);
  // Before opset 9 every sample was normalised by itself, all its channels together or each alone.
  std::vector<std::int64_t> given = context.version() < 9 ? std::vector<std::int64_t>{} : context.integers("axes");
  if (given.empty())
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(x.rank()); ++i)
      if (context.version() >= 9 ? i != 1 : i >= (context.integer("across_channels") != 0 ? 1 : 2)) given.push_back(i);
  Dims kept = x.dims();
  for (const std::size_t axis : normalize_axes(context, given, x.rank())) kept[axis] = 1;
  const Dims strides = broadcast_strides(kept, x.dims());
  const Numbers<double> numbers(x);
  std::vector<double> sums(buffer_size(kept)), squares(sums.size()), result(numbers.size());
  const double count = static_cast<double>(numbers.size()) / static_cast<double>(std::max<std::size_t>(1, sums.size()));
  for (StridedWalk walk(x.dims(), {&strides}); !walk.done(); walk.next())
    sums[walk.offset(0)] += numbers[walk.position()];
  for (StridedWalk walk(x.dims(), {&strides}); !walk.done(); walk.next()) {
    const double centered = numbers[walk.position()] - sums[walk.offset(0)] / count;
    result[walk.position()] = centered;
    squares[walk.offset(0)] += centered * centered;
  }
  const bool scaled = context.version() >= 9 || context.integer("normalize_variance") != 0;
  // The small constant is that of the operator's published definition.
  if (scaled)
    for (StridedWalk walk(x.dims(), {&strides}); !walk.done(); walk.next())
      result[walk.position()] /= std::sqrt(squares[walk.offset(0)] / count) + 1e-9;
  context.output(0, tensor_of(x.type(), x.dims(), result));
}

// A mean, a variance, and a scaled difference: about eight operations an element.
double layer_flops(const CostContext& context) { return 8 * context.input_elements(0); }
double rms_flops(const CostContext& context) { return 4 * context.input_elements(0); }
double lp_flops(const CostContext& context) { return 3 * context.input_elements(0); }
double local_response_flops(const CostContext& context) {
  return context.input_elements(0) * (2 * static_cast<double>(context.integer("size")) + 4);
}

// clang-format off
const OpFamily normalization_family({
    {.name = "LayerNormalization", .versions = {17}, .inputs = {2, 3}, .outputs = {1, 3},
     .attributes = {integer("axis", -1), number("epsilon", 1e-5f), integer("stash_type", 1)},
     .kind = OpKind::reduction, .infer = infer_layer_normalization, .evaluate = evaluate_layer_normalization,
     .flops = layer_flops},
    {.name = "RMSNormalization", .versions = {23}, .inputs = {2, 2},
     .attributes = {integer("axis", -1), number("epsilon", 1e-5f), integer("stash_type", 1)},
     .kind = OpKind::reduction, .infer = infer_trailing, .evaluate = evaluate_rms_normalization, .flops = rms_flops},
    {.name = "LpNormalization", .versions = {1, 22}, .attributes = {integer("axis", -1), integer("p", 2)},
     .kind = OpKind::reduction, .infer = infer_lp_normalization, .evaluate = evaluate_lp_normalization,
     .flops = lp_flops},
    {.name = "MeanVarianceNormalization", .versions = {1, 9, 13},
     .attributes = {integers("axes").since(9), integer("across_channels", 0).until(9),
                    integer("normalize_variance", 1).until(9)},
     .kind = OpKind::reduction, .infer = infer_like_first, .evaluate = evaluate_mean_variance, .flops = layer_flops},
    {.name = "LRN", .versions = {1, 13},
     .attributes = {number("alpha", 1e-4f), number("beta", 0.75f), number("bias", 1), integer("size")},
     .kind = OpKind::reduction, .infer = infer_like_first, .evaluate = evaluate_local_response,
     .flops = local_response_flops},
});
// clang-format on

}  // namespace
}  // namespace hone
