#include "rewrite/rules/complete_rule.h"

#include <fmt/format.h>

#include "rewrite/rules/match_order.h"

namespace hone {
namespace {

/// What the right side reads is an input of the rule, an inner value that stays for others, or defined above. The name
/// of the first that is not.
std::optional<std::string> read_too_early(const Rule& rule) {
  std::vector<bool> known(rule.tensors.size(), true);
  for (const RuleOperation& operation : rule.left)
    for (const std::size_t output : operation.outputs) known[output] = rule.shared[output];
  for (const RuleOperation& operation : rule.right)
    for (const std::size_t output : operation.outputs) known[output] = false;
  for (const RuleOperation& operation : rule.right) {
    for (const Operand& operand : operation.operands)
      if (operand.kind == Operand::Kind::tensor && !known[operand.variable]) return rule.tensors[operand.variable];
    for (const std::size_t output : operation.outputs) known[output] = true;
  }
  return std::nullopt;
}

/// Tensors that both sides define are outputs, those that neither does are inputs.
void find_ends(Rule& rule) {
  std::vector<int> sides(rule.tensors.size(), 0);
  for (const auto* side : {&rule.left, &rule.right})
    for (const RuleOperation& operation : *side)
      for (const std::size_t output : operation.outputs) sides[output] |= side == &rule.left ? 1 : 2;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (sides[i] == 3) rule.outputs.push_back(i);
    if (sides[i] == 0) rule.inputs.push_back(i);
  }
}

}  // namespace

std::optional<std::string> complete_rule(Rule& rule) {
  if (rule.left.empty() || rule.right.empty()) return "a rule needs two sides";
  rule.shared.resize(rule.tensors.size(), false);
  find_ends(rule);
  if (const std::optional<std::string> name = read_too_early(rule))
    return fmt::format("the right side reads '{}' before it is defined", *name);
  if (rule.outputs.empty()) return "the two sides have no output in common";
  if (!order_steps(rule)) return "the operations of the left side are not connected";
  return std::nullopt;
}

}  // namespace hone
