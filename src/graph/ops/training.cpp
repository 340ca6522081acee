#include <cmath>

#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"
#include "graph/ops/real_array.h"

// Optimiser steps of ai.onnx.preview.training. Inputs are the learning rate, the update count, then groups of equally
// many tensors: X1 X2 .. G1 G2 .. and so on; the outputs are the groups that change, in the same order.

namespace hone {
namespace {

constexpr std::size_t kFirstTensor = 2;

/// Tensors a group has.
std::size_t group_size(const NodeReader& node, std::size_t groups) {
  if (node.input_count() < kFirstTensor) node.fail("has {} inputs", node.input_count());
  const std::size_t given = node.input_count() - kFirstTensor;
  if (given % groups != 0) node.fail("{} tensors do not make {} groups", given, groups);
  return given / groups;
}

/// Outputs are groups 0 and 2.. of the inputs; group 1 holds the gradients.
template <std::size_t kGroups>
void infer_step(InferContext& context) {
  const std::size_t size = group_size(context, kGroups);
  for (std::size_t i = 0; i < size; ++i) context.output(i, context.type(kFirstTensor + i));
  for (std::size_t i = size; i < size * (kGroups - 1); ++i) context.output(i, context.type(kFirstTensor + size + i));
}

/// One element of every group; the gradient already includes the regularising term.
struct Element {
  double x = 0;
  double gradient = 0;
  double first = 0;   // the group after the gradients
  double second = 0;  // and the one after that, where there is one
};

/// What holds for a whole step.
struct Step {
  double rate = 0;
  std::int64_t update = 0;
};

/// Runs `advance(Element&)`, which leaves the new values in the element, over all tensors.
template <std::size_t kGroups, class Advance>
void advance_all(EvaluateContext& context, Advance&& advance) {
  const std::size_t size = group_size(context, kGroups);
  const double norm = context.number("norm_coefficient");
  for (std::size_t i = 0; i < size; ++i) {
    std::vector<RealArray> groups;
    for (std::size_t g = 0; g < kGroups; ++g) {
      groups.push_back(RealArray::of(context.tensor(kFirstTensor + g * size + i)));
      if (!(groups[g].dims == groups[0].dims)) context.fail("tensors {} of the groups differ in shape", i);
    }
    for (std::size_t k = 0; k < groups[0].count(); ++k) {
      Element element{.x = groups[0].values[k],
                      .gradient = groups[1].values[k] + norm * groups[0].values[k],
                      .first = groups[2].values[k],
                      .second = kGroups > 3 ? groups.back().values[k] : 0};
      advance(element);
      groups[0].values[k] = element.x;
      groups[2].values[k] = element.first;
      if (kGroups > 3) groups.back().values[k] = element.second;
    }
    const ElementType type = context.tensor(kFirstTensor + i).type();
    context.output(i, groups[0].rounded(type));
    for (std::size_t g = 2; g < kGroups; ++g) context.output((g - 1) * size + i, groups[g].rounded(type));
  }
}

Step step_of(const EvaluateContext& context) {
  if (context.tensor(0).count() != 1 || context.tensor(1).count() != 1)
    context.fail("learning rate and update count are scalars");
  return {.rate = context.tensor(0).number_at(0), .update = context.tensor(1).integer_at(0)};
}

void evaluate_adagrad(EvaluateContext& context) {
  const Step step = step_of(context);
  const double rate = step.rate / (1 + static_cast<double>(step.update) * context.number("decay_factor"));
  const double epsilon = context.number("epsilon");
  advance_all<3>(context, [&](Element& element) {
    element.first += element.gradient * element.gradient;
    element.x -= rate * element.gradient / (std::sqrt(element.first) + epsilon);
  });
}

void evaluate_adam(EvaluateContext& context) {
  const Step step = step_of(context);
  const double alpha = context.number("alpha"), beta = context.number("beta"), epsilon = context.number("epsilon");
  const double shrink = 1 - context.number("norm_coefficient_post");
  const auto update = static_cast<double>(step.update);
  const double correction = step.update > 0 ? std::sqrt(1 - std::pow(beta, update)) / (1 - std::pow(alpha, update)) : 1;
  const double rate = step.rate * correction;
  advance_all<4>(context, [&](Element& element) {
    element.first = alpha * element.first + (1 - alpha) * element.gradient;
    element.second = beta * element.second + (1 - beta) * element.gradient * element.gradient;
    element.x = shrink * (element.x - rate * element.first / (std::sqrt(element.second) + epsilon));
  });
}

void evaluate_momentum(EvaluateContext& context) {
  const Step step = step_of(context);
  const double alpha = context.number("alpha"), beta = step.update > 0 ? context.number("beta") : 1.0;
  const std::string& mode = context.text("mode");
  if (mode != "standard" && mode != "nesterov") context.fail("mode '{}' is not known", mode);
  const bool looks_ahead = mode == "nesterov";
  advance_all<3>(context, [&](Element& element) {
    element.first = alpha * element.first + beta * element.gradient;
    element.x -= step.rate * (looks_ahead ? element.gradient + alpha * element.first : element.first);
  });
}

/// A handful of operations for every element of every changed tensor.
double step_flops(const CostContext& context) {
  constexpr double kOperations = 6;
  double elements = 0;
  for (std::size_t i = 0; i < context.output_count(); ++i) elements += context.output_elements(i);
  return kOperations * elements;
}

constexpr std::string_view kTrainingDomain = "ai.onnx.preview.training";

// clang-format off
const OpFamily training_family({
    {.name = "Adagrad", .domain = kTrainingDomain, .versions = {1}, .inputs = {3, kMany}, .outputs = {1, kMany},
     .attributes = {number("decay_factor", 0.0f), number("epsilon", 1e-6f), number("norm_coefficient", 0.0f)},
     .infer = infer_step<3>, .evaluate = evaluate_adagrad, .flops = step_flops},
    {.name = "Adam", .domain = kTrainingDomain, .versions = {1}, .inputs = {3, kMany}, .outputs = {1, kMany},
     .attributes = {number("alpha", 0.9f), number("beta", 0.999f), number("epsilon", 1e-6f),
                    number("norm_coefficient", 0.0f), number("norm_coefficient_post", 0.0f)},
     .infer = infer_step<4>, .evaluate = evaluate_adam, .flops = step_flops},
    {.name = "Momentum", .domain = kTrainingDomain, .versions = {1}, .inputs = {3, kMany}, .outputs = {1, kMany},
     .attributes = {number("alpha"), number("beta"), text("mode"), number("norm_coefficient")},
     .infer = infer_step<3>, .evaluate = evaluate_momentum, .flops = step_flops},
});
// clang-format on

}  // namespace
}  // namespace hone
