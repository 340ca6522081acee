#include "rewrite/rules/match_order.h"

#include <algorithm>

namespace hone {
namespace {

bool defines(const RuleOperation& operation, std::size_t tensor) {
  return std::ranges::find(operation.outputs, tensor) != operation.outputs.end();
}

bool reads(const RuleOperation& operation, std::size_t tensor) {
  return std::ranges::any_of(operation.operands, [&](const Operand& operand) {
    return operand.kind == Operand::Kind::tensor && operand.variable == tensor;
  });
}

/// The next operation that is connected to those visited; its producer side is preferred, since a value has one
/// producer.
std::optional<MatchStep> next_step(const Rule& rule, const std::vector<bool>& visited) {
  for (const MatchStep::Way way : {MatchStep::Way::producer, MatchStep::Way::reader}) {
    for (std::size_t i = 0; i < rule.left.size(); ++i) {
      if (visited[i]) continue;
      for (std::size_t tensor = 0; tensor < rule.tensors.size(); ++tensor) {
        const bool wanted =
            way == MatchStep::Way::producer ? defines(rule.left[i], tensor) : reads(rule.left[i], tensor);
        if (!wanted) continue;
        for (std::size_t other = 0; other < rule.left.size(); ++other) {
          if (!visited[other]) continue;
          const bool met =
              reads(rule.left[other], tensor) || (way == MatchStep::Way::reader && defines(rule.left[other], tensor));
          if (met) return MatchStep{.operation = i, .way = way, .variable = tensor};
        }
      }
    }
  }
  return std::nullopt;
}

/// Whether an input of the left side is among what an output is computed from.
bool depends_on(const Rule& rule, std::size_t tensor, std::size_t input) {
  if (tensor == input) return true;
  for (const RuleOperation& operation : rule.left)
    if (defines(operation, tensor))
      return std::ranges::any_of(operation.operands, [&](const Operand& operand) {
        return operand.kind == Operand::Kind::tensor && depends_on(rule, operand.variable, input);
      });
  return false;
}

/// Constants count as well: they may be computed, from an output that is one.
bool is_loose(const Rule& rule, std::size_t input) {
  const auto is_of_list = [&](std::size_t output) {  // elements of a list are outputs of their own
    return std::ranges::any_of(
        rule.left, [&](const RuleOperation& operation) { return operation.each && defines(operation, output); });
  };
  return std::ranges::any_of(
      rule.outputs, [&](std::size_t output) { return is_of_list(output) || !depends_on(rule, output, input); });
}

/// Whether an expression speaks of nothing but these tensors.
bool is_decided(const Expression& expression, const std::vector<bool>& found) {
  if (expression.kind == Expression::Kind::term) return false;
  if (expression.kind == Expression::Kind::tensor) return found[expression.variable];
  return std::ranges::all_of(expression.parts, [&](const Expression& part) { return is_decided(part, found); });
}

/// Gives every condition on tensors alone to the step that finds the last of them, so that the search turns back there.
void place_conditions(Rule& rule) {
  std::vector<bool> found(rule.tensors.size(), false), placed(rule.conditions.size(), false);
  for (MatchStep& step : rule.steps) {
    for (const std::size_t output : rule.left[step.operation].outputs) found[output] = true;
    for (const Operand& operand : rule.left[step.operation].operands)
      if (operand.kind == Operand::Kind::tensor) found[operand.variable] = true;
    for (std::size_t i = 0; i < rule.conditions.size(); ++i) {
      if (placed[i] || rule.conditions[i].shape || !is_decided(rule.conditions[i].truth, found)) continue;
      placed[i] = true;
      step.decides.push_back(i);
    }
  }
}

}  // namespace

bool order_steps(Rule& rule) {
  std::vector<bool> visited(rule.left.size(), false);
  // A single operation is the best place to start from; a list of them has to be found from its neighbour.
  std::size_t root = rule.left.size() - 1;
  while (root > 0 && rule.left[root].each) --root;
  rule.steps = {{.operation = root, .way = MatchStep::Way::producer, .variable = 0}};
  visited[root] = true;
  while (const std::optional<MatchStep> step = next_step(rule, visited)) {
    visited[step->operation] = true;
    rule.steps.push_back(*step);
  }
  place_conditions(rule);
  for (const std::size_t input : rule.inputs)
    if (is_loose(rule, input)) rule.loose_inputs.push_back(input);
  return std::ranges::find(visited, false) == visited.end();
}

}  // namespace hone
