#include <cmath>

#include "graph/ops/family.h"
#include "graph/ops/pointwise.h"

// Trigonometric and hyperbolic functions, computed in double and rounded once.

namespace hone {
namespace {

template <double (*function)(double)>
void evaluate_real(EvaluateContext& context) {
  evaluate_unary<FloatTypes>(context, [](double x) { return function(x); });
}

const OpFamily trigonometry_family({
    unary_operator("Sin", {7, 22}, evaluate_real<std::sin>),
    unary_operator("Cos", {7, 22}, evaluate_real<std::cos>),
    unary_operator("Tan", {7, 22}, evaluate_real<std::tan>),
    unary_operator("Asin", {7, 22}, evaluate_real<std::asin>),
    unary_operator("Acos", {7, 22}, evaluate_real<std::acos>),
    unary_operator("Atan", {7, 22}, evaluate_real<std::atan>),
    unary_operator("Sinh", {9, 22}, evaluate_real<std::sinh>),
    unary_operator("Cosh", {9, 22}, evaluate_real<std::cosh>),
    unary_operator("Tanh", {1, 6, 13}, evaluate_real<std::tanh>),
    unary_operator("Asinh", {9, 22}, evaluate_real<std::asinh>),
    unary_operator("Acosh", {9, 22}, evaluate_real<std::acosh>),
    unary_operator("Atanh", {9, 22}, evaluate_real<std::atanh>),
});

}  // namespace
}  // namespace hone
