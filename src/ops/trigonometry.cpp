#include <cmath>

#include "ops/family.h"
#include "ops/pointwise.h"

// Trigonometric and hyperbolic functions, computed in double and rounded once.

namespace hone {
namespace {

template <double (*function)(double)>
void evaluate_real(EvaluateContext& context) {
  evaluate_unary<FloatTypes>(context, [](double x) { return function(x); });
}

OpEntry entry(std::string_view name, std::vector<int> versions, void (*evaluate)(EvaluateContext&)) {
  return {.name = name,
          .versions = std::move(versions),
          .kind = OpKind::pointwise,
          .infer = infer_like_input,
          .evaluate = evaluate};
}

const OpFamily family({
    entry("Sin", {7, 22}, evaluate_real<std::sin>),
    entry("Cos", {7, 22}, evaluate_real<std::cos>),
    entry("Tan", {7, 22}, evaluate_real<std::tan>),
    entry("Asin", {7, 22}, evaluate_real<std::asin>),
    entry("Acos", {7, 22}, evaluate_real<std::acos>),
    entry("Atan", {7, 22}, evaluate_real<std::atan>),
    entry("Sinh", {9, 22}, evaluate_real<std::sinh>),
    entry("Cosh", {9, 22}, evaluate_real<std::cosh>),
    entry("Tanh", {1, 6, 13}, evaluate_real<std::tanh>),
    entry("Asinh", {9, 22}, evaluate_real<std::asinh>),
    entry("Acosh", {9, 22}, evaluate_real<std::acosh>),
    entry("Atanh", {9, 22}, evaluate_real<std::atanh>),
});

}  // namespace
}  // namespace hone
