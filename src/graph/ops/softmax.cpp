#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/ops/axes.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"
#include "graph/ops/numbers.h"

// Normalisations of exponentials along an axis.

namespace hone {
namespace {

void infer_softmax(InferContext& context) {
  if (const Shape* shape = context.shape(0)) {
    const std::int64_t axis = context.integer("axis");
    // Before opset 13 the axis splits the shape in two, so it may also stand behind the last dim.
    const bool behind = context.version() < 13 && axis == static_cast<std::int64_t>(shape->size());
    if (!behind && !shape->empty()) normalize_axis(context, axis, shape->size());
  }
  context.output(0, context.type(0));
}

/// The lines that are normalised: `count` of them, elements `step` apart.
struct SoftmaxLines {
  std::int64_t outer = 1;
  std::int64_t length = 1;
  std::int64_t step = 1;
};

/// Before opset 13 all axes from `axis` on are one line; since then a line runs along `axis` alone.
SoftmaxLines lines_of(const EvaluateContext& context, const Dims& dims) {
  const std::int64_t given = context.integer("axis");
  if (dims.empty()) return {};
  if (context.version() < 13 && given == static_cast<std::int64_t>(dims.size())) return {.outer = element_count(dims)};
  const std::size_t axis = normalize_axis(context, given, dims.size());
  const std::int64_t outer = count_between(dims, 0, axis);
  if (context.version() < 13) return {outer, count_between(dims, axis, dims.size()), 1};
  return {outer, dims[axis], count_between(dims, axis + 1, dims.size())};
}

/// Applies `normalize(line, length, step)` to every line of a copy of the input.
template <class Normalize>
void evaluate_lines(EvaluateContext& context, Normalize normalize) {
  const Tensor& x = context.tensor(0);
  const SoftmaxLines lines = lines_of(context, x.dims());
  const Numbers<double> numbers(x);
  std::vector<double> result(numbers.view().begin(), numbers.view().end());
  if (!result.empty())
    for (std::int64_t outer = 0; outer < lines.outer; ++outer)
      for (std::int64_t inner = 0; inner < lines.step; ++inner)
        normalize(result.data() + outer * lines.length * lines.step + inner, lines.length, lines.step);
  context.output(0, tensor_of(x.type(), x.dims(), result));
}

double greatest(const double* line, std::int64_t length, std::int64_t step) {
  double best = -std::numeric_limits<double>::infinity();
  for (std::int64_t i = 0; i < length; ++i) best = std::max(best, line[i * step]);
  return best;
}

void softmax_line(double* line, std::int64_t length, std::int64_t step) {
  const double shift = greatest(line, length, step);
  double sum = 0;
  for (std::int64_t i = 0; i < length; ++i) sum += line[i * step] = std::exp(line[i * step] - shift);
  for (std::int64_t i = 0; i < length; ++i) line[i * step] /= sum;
}

void log_softmax_line(double* line, std::int64_t length, std::int64_t step) {
  const double shift = greatest(line, length, step);
  double sum = 0;
  for (std::int64_t i = 0; i < length; ++i) sum += std::exp(line[i * step] - shift);
  for (std::int64_t i = 0; i < length; ++i) line[i * step] -= shift + std::log(sum);
}

/// One at the first of the greatest, zero elsewhere.
void hardmax(double* line, std::int64_t length, std::int64_t step) {
  std::int64_t best = 0;
  for (std::int64_t i = 1; i < length; ++i)
    if (line[i * step] > line[best * step]) best = i;
  for (std::int64_t i = 0; i < length; ++i) line[i * step] = i == best ? 1 : 0;
}

void evaluate_softmax(EvaluateContext& context) { evaluate_lines(context, softmax_line); }
void evaluate_log_softmax(EvaluateContext& context) { evaluate_lines(context, log_softmax_line); }
void evaluate_hardmax(EvaluateContext& context) { evaluate_lines(context, hardmax); }

// The greatest, a difference, an exponential, a sum and a quotient for each element.
double softmax_flops(const CostContext& context) { return 5 * context.input_elements(0); }

const std::vector<AttributeSpec> kAxis = {integer("axis", 1).until(13), integer("axis", -1).since(13)};

// clang-format off
const OpFamily softmax_family({
    {.name = "Softmax", .versions = {1, 11, 13}, .attributes = kAxis,
     .kind = OpKind::reduction, .infer = infer_softmax, .evaluate = evaluate_softmax, .flops = softmax_flops},
    {.name = "LogSoftmax", .versions = {1, 11, 13}, .attributes = kAxis,
     .kind = OpKind::reduction, .infer = infer_softmax, .evaluate = evaluate_log_softmax, .flops = softmax_flops},
    {.name = "Hardmax", .versions = {1, 11, 13}, .attributes = kAxis,
     .kind = OpKind::reduction, .infer = infer_softmax, .evaluate = evaluate_hardmax},
});
// clang-format on

}  // namespace
}  // namespace hone
