#include <cmath>
#include <limits>
#include <numbers>

#include "graph/loops/operator_loop.h"

// Activations and functions of reals that are made of a few others.

namespace hone {
namespace {

using FunctionLoop = std::optional<OperatorLoop>;
using FunctionValues = std::span<const LoopValue>;

LoopValue choose(LoopBody& body, LoopValue condition, LoopValue a, LoopValue b) {
  return body.apply(LoopOp::select, {condition, a, b});
}
LoopValue is_less(LoopBody& body, LoopValue a, LoopValue b) { return body.apply(LoopOp::less, {a, b}); }
LoopValue unary(LoopBody& body, LoopOp op, LoopValue x) { return body.apply(op, {x}); }

template <LoopValue (*function)(LoopBody&, LoopValue)>
FunctionLoop describe_function(const LoopContext& context, std::size_t) {
  if (!is_loop_real(context.element(0))) return std::nullopt;
  return pointwise_loop(context, [](LoopBody& body, FunctionValues x) { return function(body, x[0]); });
}

/// Polynomials are as exact as floats are.
template <LoopValue (*function)(LoopBody&, LoopValue)>
FunctionLoop describe_approximation(const LoopContext& context, std::size_t output) {
  return context.element(0) == ElementType::float64 ? std::nullopt : describe_function<function>(context, output);
}

/// Coefficients from that of the highest power on.
LoopValue polynomial(LoopBody& body, LoopValue x, std::initializer_list<double> coefficients) {
  LoopValue sum = body.real(*coefficients.begin());
  for (const double* next = coefficients.begin() + 1; next != coefficients.end(); ++next)
    sum = body.add(body.multiply(sum, x), body.real(*next));
  return sum;
}

/// exp(x) - 1 for x up to 0: its series near 0, where the difference would lose digits.
LoopValue exp_minus_one(LoopBody& body, LoopValue x) {
  const LoopValue series =
      body.multiply(x, polynomial(body, x, {1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2, 1.0}));
  const LoopValue difference = body.subtract(unary(body, LoopOp::exp, x), body.real(1));
  return choose(body, is_less(body, unary(body, LoopOp::absolute, x), body.real(0.3)), series, difference);
}

FunctionLoop describe_elu(const LoopContext& context, std::size_t) {
  if (!is_loop_real(context.element(0))) return std::nullopt;
  return pointwise_loop(context, [alpha = context.number("alpha")](LoopBody& body, FunctionValues x) {
    const LoopValue curve = body.multiply(exp_minus_one(body, x[0]), body.real(alpha));
    return choose(body, is_less(body, x[0], body.real(0)), curve, x[0]);
  });
}

FunctionLoop describe_selu(const LoopContext& context, std::size_t) {
  if (!is_loop_real(context.element(0))) return std::nullopt;
  const double alpha = context.number("alpha"), gamma = context.number("gamma");
  return pointwise_loop(context, [alpha, gamma](LoopBody& body, FunctionValues x) {
    const LoopValue curve = body.multiply(exp_minus_one(body, x[0]), body.real(gamma * alpha));
    return choose(body, is_less(body, body.real(0), x[0]), body.multiply(x[0], body.real(gamma)), curve);
  });
}

FunctionLoop describe_celu(const LoopContext& context, std::size_t) {
  if (!is_loop_real(context.element(0))) return std::nullopt;
  return pointwise_loop(context, [alpha = context.number("alpha")](LoopBody& body, FunctionValues x) {
    const LoopValue below = body.apply(LoopOp::minimum, {x[0], body.real(0)});
    const LoopValue curve = exp_minus_one(body, body.divide(below, body.real(alpha)));
    return body.add(body.apply(LoopOp::maximum, {x[0], body.real(0)}), body.multiply(curve, body.real(alpha)));
  });
}

FunctionLoop describe_thresholded_relu(const LoopContext& context, std::size_t) {
  if (!is_loop_real(context.element(0))) return std::nullopt;
  return pointwise_loop(context, [alpha = context.number("alpha")](LoopBody& body, FunctionValues x) {
    return choose(body, is_less(body, body.real(alpha), x[0]), x[0], body.real(0));
  });
}

FunctionLoop describe_shrink(const LoopContext& context, std::size_t) {
  if (!is_loop_real(context.element(0))) return std::nullopt;
  const double bound = context.number("lambd"), bias = context.number("bias");
  return pointwise_loop(context, [bound, bias](LoopBody& body, FunctionValues x) {
    const LoopValue above =
        choose(body, is_less(body, body.real(bound), x[0]), body.subtract(x[0], body.real(bias)), body.real(0));
    return choose(body, is_less(body, x[0], body.real(-bound)), body.add(x[0], body.real(bias)), above);
  });
}

FunctionLoop describe_is_infinite(const LoopContext& context, std::size_t) {
  if (!is_loop_real(context.element(0))) return std::nullopt;
  const bool high = context.integer("detect_positive") != 0, low = context.integer("detect_negative") != 0;
  return pointwise_loop(context, [high, low](LoopBody& body, FunctionValues x) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const auto equals = [&](double number) { return body.apply(LoopOp::equal, {x[0], body.real(number)}); };
    if (high && low) return body.apply(LoopOp::either, {equals(kInfinity), equals(-kInfinity)});
    if (high || low) return equals(high ? kInfinity : -kInfinity);
    return body.apply(LoopOp::both, {equals(kInfinity), equals(-kInfinity)});
  });
}

LoopValue tangent(LoopBody& body, LoopValue x) {
  return body.divide(unary(body, LoopOp::sine, x), unary(body, LoopOp::cosine, x));
}

/// The series near 0, where the difference would lose digits.
LoopValue hyperbolic_sine(LoopBody& body, LoopValue x) {
  const LoopValue square = body.multiply(x, x);
  const LoopValue series =
      body.multiply(x, polynomial(body, square, {1.0 / 362880, 1.0 / 5040, 1.0 / 120, 1.0 / 6, 1.0}));
  const LoopValue power = unary(body, LoopOp::exp, x);
  const LoopValue difference =
      body.multiply(body.subtract(power, unary(body, LoopOp::reciprocal, power)), body.real(0.5));
  return choose(body, is_less(body, unary(body, LoopOp::absolute, x), body.real(0.5)), series, difference);
}

LoopValue hyperbolic_cosine(LoopBody& body, LoopValue x) {
  const LoopValue power = unary(body, LoopOp::exp, x);
  return body.multiply(body.add(power, unary(body, LoopOp::reciprocal, power)), body.real(0.5));
}

/// The arc tangent of numbers from 0 on, after Cephes: brought below tan(pi/8), then a polynomial.
LoopValue positive_arc_tangent(LoopBody& body, LoopValue x) {
  const LoopValue one = body.real(1);
  const LoopValue large = is_less(body, body.real(2.414213562373095), x);
  const LoopValue middle = is_less(body, body.real(0.4142135623730950), x);
  const LoopValue start = choose(body, large, body.real(std::numbers::pi / 2),
                                 choose(body, middle, body.real(std::numbers::pi / 4), body.real(0)));
  const LoopValue turned = unary(body, LoopOp::negate, unary(body, LoopOp::reciprocal, x));
  const LoopValue ratio = body.divide(body.subtract(x, one), body.add(x, one));
  const LoopValue small = choose(body, large, turned, choose(body, middle, ratio, x));
  const LoopValue square = body.multiply(small, small);
  const LoopValue curve =
      polynomial(body, square, {8.05374449538e-2, -1.38776856032e-1, 1.99777106478e-1, -3.33329491539e-1});
  return body.add(start, body.add(body.multiply(body.multiply(curve, square), small), small));
}

LoopValue with_sign_of(LoopBody& body, LoopValue x, LoopValue magnitude) {
  return choose(body, is_less(body, x, body.real(0)), unary(body, LoopOp::negate, magnitude), magnitude);
}

LoopValue arc_tangent(LoopBody& body, LoopValue x) {
  return with_sign_of(body, x, positive_arc_tangent(body, unary(body, LoopOp::absolute, x)));
}

/// The root of a quotient of what is left to 1 on either side.
LoopValue arc_cosine(LoopBody& body, LoopValue x) {
  const LoopValue one = body.real(1);
  const LoopValue root = unary(body, LoopOp::sqrt, body.divide(body.subtract(one, x), body.add(one, x)));
  return body.multiply(positive_arc_tangent(body, root), body.real(2));
}

LoopValue arc_sine(LoopBody& body, LoopValue x) {
  const LoopValue one = body.real(1);
  const LoopValue rest = body.multiply(body.subtract(one, x), body.add(one, x));
  return arc_tangent(body, body.divide(x, unary(body, LoopOp::sqrt, rest)));
}

/// Of large numbers both area functions are the logarithm of twice the number, whose square may be infinite.
LoopValue with_large(LoopBody& body, LoopValue x, LoopValue result) {
  const LoopValue log = body.add(unary(body, LoopOp::log, x), body.real(std::numbers::ln2));
  return choose(body, is_less(body, body.real(1e9), x), log, result);
}

LoopValue area_sine(LoopBody& body, LoopValue x) {
  const LoopValue magnitude = unary(body, LoopOp::absolute, x), one = body.real(1);
  const LoopValue square = body.multiply(x, x);
  const LoopValue root = body.add(one, unary(body, LoopOp::sqrt, body.add(one, square)));
  const LoopValue log = unary(body, LoopOp::log_plus_one, body.add(magnitude, body.divide(square, root)));
  return with_sign_of(body, x, with_large(body, magnitude, log));
}

LoopValue area_cosine(LoopBody& body, LoopValue x) {
  const LoopValue above = body.subtract(x, body.real(1));
  const LoopValue square = body.add(body.multiply(above, above), body.multiply(above, body.real(2)));
  const LoopValue log = unary(body, LoopOp::log_plus_one, body.add(above, unary(body, LoopOp::sqrt, square)));
  return with_large(body, x, log);
}

LoopValue area_tangent(LoopBody& body, LoopValue x) {
  const LoopValue twice = body.multiply(x, body.real(2));
  const LoopValue log = unary(body, LoopOp::log_plus_one, body.divide(twice, body.subtract(body.real(1), x)));
  return body.multiply(log, body.real(0.5));
}

const LoopFamily function_loops({
    {"Elu", describe_elu},
    {"Selu", describe_selu},
    {"Celu", describe_celu},
    {"ThresholdedRelu", describe_thresholded_relu},
    {"Shrink", describe_shrink},
    {"IsInf", describe_is_infinite},
    {"Tan", describe_function<tangent>},
    {"Sinh", describe_function<hyperbolic_sine>},
    {"Cosh", describe_function<hyperbolic_cosine>},
    {"Atan", describe_approximation<arc_tangent>},
    {"Acos", describe_approximation<arc_cosine>},
    {"Asin", describe_approximation<arc_sine>},
    {"Asinh", describe_function<area_sine>},
    {"Acosh", describe_function<area_cosine>},
    {"Atanh", describe_function<area_tangent>},
});

}  // namespace
}  // namespace hone
