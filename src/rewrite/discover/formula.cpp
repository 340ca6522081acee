#include "rewrite/discover/formula.h"

#include <algorithm>

namespace hone {

std::size_t size_of(const Formula& formula) {
  std::size_t size = formula.is_input() ? 0 : 1;
  for (const Formula& operand : formula.operands) size += size_of(operand);
  return size;
}

std::set<std::uint32_t> inputs_of(const Formula& formula) {
  if (formula.is_input()) return {formula.input};
  std::set<std::uint32_t> inputs;
  for (const Formula& operand : formula.operands) inputs.merge(inputs_of(operand));
  return inputs;
}

bool contains(const Formula& formula, const Formula& part) {
  return formula == part ||
         std::ranges::any_of(formula.operands, [&](const Formula& operand) { return contains(operand, part); });
}

Formula InputOrder::renumber(const Formula& formula) {
  Formula renumbered = formula;
  if (formula.is_input()) {
    std::uint32_t& number = numbers_[formula.input];
    for (std::uint32_t i = 0; number == Formula::kInput; ++i) {
      const bool fits = world_.inputs[i].sort == world_.inputs[formula.input].sort;
      if (fits && std::ranges::find(numbers_, i) == numbers_.end()) number = i;
    }
    renumbered.input = number;
  }
  for (Formula& operand : renumbered.operands) operand = renumber(operand);
  return renumbered;
}

}  // namespace hone
