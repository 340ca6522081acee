#include <cmath>

#include "rewrite/rules/functions.h"

// Single numbers.

namespace hone {
namespace {

/// Equal up to what is lost when a constant is stored in a narrow type.
Term is_near(const Expression& call, const Bindings& bindings) {
  const auto a = known_number(argument(call, 0, bindings)), b = known_number(argument(call, 1, bindings));
  return a && b ? Term(std::abs(*a - *b) <= 1e-6 * std::max(std::abs(*a), std::abs(*b))) : Term();
}

Term square_root(const Expression& call, const Bindings& bindings) {
  const auto number = known_number(argument(call, 0, bindings));
  return number && *number >= 0 ? Term(std::sqrt(*number)) : Term();
}

template <bool kLess>
Term least_or_largest(const Expression& call, const Bindings& bindings) {
  const Term first = argument(call, 0, bindings), second = argument(call, 1, bindings);
  const auto a = known_number(first), b = known_number(second);
  if (!a || !b) return {};
  return (*a < *b) == kLess ? first : second;
}

constexpr ExpressionFunction kNumberFunctions[] = {
    {"near", 2, is_near},
    {"sqrt", 1, square_root},
    {"min", 2, least_or_largest<true>},
    {"max", 2, least_or_largest<false>},
};

}  // namespace

std::span<const ExpressionFunction> number_functions() { return kNumberFunctions; }

}  // namespace hone
