#pragma once

#include <span>

#include "rewrite/rules/expression.h"

namespace hone {

// Functions of the expression language, by what they are about.
std::span<const ExpressionFunction> tensor_functions();
std::span<const ExpressionFunction> list_functions();
std::span<const ExpressionFunction> number_functions();

/// The value of one argument of a call.
inline Term argument(const Expression& call, std::size_t i, const Bindings& bindings) {
  return evaluate(call.parts[i], bindings);
}

}  // namespace hone
