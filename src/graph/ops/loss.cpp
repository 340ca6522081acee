#include <cmath>
#include <limits>

#include "graph/ops/axes.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"
#include "graph/ops/numbers.h"

// Losses of classifiers: scores are [batch, classes, ...], targets are [batch, ...].

namespace hone {
namespace {

enum class Reduction { none, sum, mean };

Reduction reduction_of(const NodeReader& node) {
  const std::string& name = node.text("reduction");
  if (name == "none") return Reduction::none;
  if (name == "sum") return Reduction::sum;
  if (name != "mean") node.fail("reduction cannot be '{}'", name);
  return Reduction::mean;
}

void check_scores(const NodeReader& node, const Shape& scores, const Shape* targets) {
  if (scores.size() < 2 || (targets != nullptr && targets->size() + 1 != scores.size()))
    node.fail("scores {} do not fit the targets", text_of(scores));
  if (targets == nullptr || !is_static(scores) || !is_static(*targets)) return;
  Shape per_class = scores;
  per_class.erase(1);
  if (element_count(per_class) != element_count(*targets))
    node.fail("scores {} do not fit targets {}", text_of(scores), text_of(*targets));
}

void infer_loss(InferContext& context) {
  const Shape *scores = context.shape(0), *targets = context.shape(1);
  if (scores != nullptr) check_scores(context, *scores, targets);
  context.output(1, context.type(0));  // log probabilities, where the operator gives them
  const ElementType element = context.element(0);
  if (reduction_of(context) != Reduction::none) return context.output(0, element, Shape{});
  if (targets != nullptr) return context.output(0, element, *targets);
  if (scores == nullptr) return context.output(0, element);
  Shape shape = *scores;
  shape.erase(1);
  context.output(0, element, shape);
}

/// The loss given log probabilities: minus that of the target class, weighed by class, ignored targets left out.
Tensor likelihood_loss(const EvaluateContext& context, std::span<const double> log_probabilities) {
  const Tensor &scores = context.tensor(0), &targets = context.tensor(1);
  const std::int64_t classes = scores.dim(1), plane = count_between(scores.dims(), 2, scores.rank());
  if (static_cast<std::int64_t>(targets.count()) != scores.dim(0) * plane)
    context.fail("the targets do not fit the scores");
  std::vector<double> weights(static_cast<std::size_t>(classes), 1);
  if (context.has_input(2)) {
    const Numbers<double> given(context.tensor(2));
    if (given.size() != weights.size()) context.fail("{} weights for {} classes", given.size(), classes);
    weights.assign(given.view().begin(), given.view().end());
  }
  const bool ignores = context.has_attribute("ignore_index");
  const std::int64_t ignored = ignores ? context.integer("ignore_index") : 0;
  const std::vector<std::int64_t> wanted = targets.integers();
  std::vector<double> losses(wanted.size());
  double total = 0, total_weight = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (ignores && wanted[i] == ignored) continue;
    if (wanted[i] < 0 || wanted[i] >= classes) context.fail("target {} is no class", wanted[i]);
    const auto place = static_cast<std::int64_t>(i);
    const auto at = static_cast<std::size_t>((place / plane * classes + wanted[i]) * plane + place % plane);
    const double weight = weights[static_cast<std::size_t>(wanted[i])];
    losses[i] = -log_probabilities[at] * weight;
    total += losses[i];
    total_weight += weight;
  }
  const Reduction reduction = reduction_of(context);
  if (reduction == Reduction::none) return tensor_of(scores.type(), targets.dims(), losses);
  return tensor_of<double>(scores.type(), {}, {reduction == Reduction::sum ? total : total / total_weight});
}

void evaluate_negative_log_likelihood(EvaluateContext& context) {
  const Tensor& scores = context.tensor(0);
  const Shape targets = context.tensor(1).shape();
  check_scores(context, scores.shape(), &targets);
  const Numbers<double> numbers(scores);
  context.output(0, likelihood_loss(context, numbers.view()));
}

/// Logarithm of the softmax over the classes.
std::vector<double> log_softmax(const Tensor& scores) {
  const auto classes = static_cast<std::size_t>(scores.dim(1));
  const auto plane = static_cast<std::size_t>(count_between(scores.dims(), 2, scores.rank()));
  const Numbers<double> numbers(scores);
  std::vector<double> result(numbers.size());
  for (std::size_t start = 0; start < numbers.size(); start += classes * plane)
    for (std::size_t line = start; line < start + plane; ++line) {
      double greatest = -std::numeric_limits<double>::infinity(), sum = 0;
      for (std::size_t c = 0; c < classes; ++c) greatest = std::max(greatest, numbers[line + c * plane]);
      for (std::size_t c = 0; c < classes; ++c) sum += std::exp(numbers[line + c * plane] - greatest);
      for (std::size_t c = 0; c < classes; ++c)
        result[line + c * plane] = numbers[line + c * plane] - greatest - std::log(sum);
    }
  return result;
}

void evaluate_softmax_cross_entropy(EvaluateContext& context) {
  const Tensor& scores = context.tensor(0);
  const Shape targets = context.tensor(1).shape();
  check_scores(context, scores.shape(), &targets);
  const std::vector<double> logs = log_softmax(scores);
  context.output(0, likelihood_loss(context, logs));
  if (context.wants_output(1)) context.output(1, tensor_of(scores.type(), scores.dims(), logs));
}

double likelihood_flops(const CostContext& context) { return 3 * context.input_elements(1); }
double cross_entropy_flops(const CostContext& context) {
  return 5 * context.input_elements(0) + likelihood_flops(context);
}

// clang-format off
const OpFamily loss_family({
    {.name = "NegativeLogLikelihoodLoss", .versions = {12, 13, 22}, .inputs = {2, 3},
     .attributes = {integer("ignore_index"), text("reduction", "mean")},
     .kind = OpKind::reduction, .infer = infer_loss, .evaluate = evaluate_negative_log_likelihood,
     .flops = likelihood_flops},
    {.name = "SoftmaxCrossEntropyLoss", .versions = {12, 13}, .inputs = {2, 3}, .outputs = {1, 2},
     .attributes = {integer("ignore_index"), text("reduction", "mean")},
     .kind = OpKind::reduction, .infer = infer_loss, .evaluate = evaluate_softmax_cross_entropy,
     .flops = cross_entropy_flops},
});
// clang-format on

}  // namespace
}  // namespace hone
