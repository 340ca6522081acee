#include <cmath>

#include "graph/ops/convert.h"
#include "graph/ops/family.h"
#include "graph/ops/pointwise.h"

// Arithmetic on numbers. Integers wrap; dividing an integer by zero gives zero, as in NumPy.

namespace hone {
namespace {

void evaluate_add(EvaluateContext& context) {
  evaluate_binary<NumberTypes>(context, [](auto a, auto b) { return wrapping(a) + wrapping(b); });
}

void evaluate_sub(EvaluateContext& context) {
  evaluate_binary<NumberTypes>(context, [](auto a, auto b) { return wrapping(a) - wrapping(b); });
}

void evaluate_mul(EvaluateContext& context) {
  evaluate_binary<NumberTypes>(context, [](auto a, auto b) { return wrapping(a) * wrapping(b); });
}

template <class T>
T quotient(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0) return 0;
    // The smallest number over -1 would trap.
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(0 - wrapping(a));
  }
  return static_cast<T>(a / b);
}

void evaluate_div(EvaluateContext& context) {
  evaluate_binary<NumberTypes>(context, [](auto a, auto b) { return quotient(a, b); });
}

/// What is left of a division that rounds toward zero; has the sign of `a`.
template <class T>
T truncated_remainder(T a, T b) {
  if constexpr (!std::is_integral_v<T>) return std::fmod(a, b);
  else if (b == 0 || (std::is_signed_v<T> && b == static_cast<T>(-1))) return 0;
  else return static_cast<T>(a % b);
}

/// What is left of a division that rounds down; has the sign of `b`.
template <class T>
T floored_remainder(T a, T b) {
  const T left = truncated_remainder(a, b);
  return left != 0 && (left < 0) != (b < 0) ? static_cast<T>(left + b) : left;
}

void evaluate_mod(EvaluateContext& context) {
  const bool truncated = context.integer("fmod") != 0;
  evaluate_binary<NumberTypes>(
      context, [truncated](auto a, auto b) { return truncated ? truncated_remainder(a, b) : floored_remainder(a, b); });
}

/// Integer power that wraps; a negative exponent gives the reciprocal rounded toward zero.
std::uint64_t integer_power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) {
    if (base == 1 || base == -1) return exponent % 2 == 0 ? 1 : static_cast<std::uint64_t>(base);
    return 0;
  }
  std::uint64_t power = 1;
  for (auto square = static_cast<std::uint64_t>(base); exponent != 0; exponent >>= 1, square *= square)
    if (exponent & 1) power *= square;
  return power;
}

void evaluate_pow(EvaluateContext& context) {
  const Tensor& base = context.tensor(0);
  const bool whole = is_integer(base.type()) && is_integer(context.tensor(1).type());
  const Tensor exponent =
      legacy_aligned(context, base, converted(context.tensor(1), whole ? ElementType::int64 : ElementType::float64));
  dispatch(context, base.type(), NumberTypes{}, [&](auto zero) {
    using T = decltype(zero);
    const auto real = [](double x, double y) { return convert<T>(std::pow(x, y)); };
    if constexpr (std::is_integral_v<T>)
      if (whole) return context.output(0, Pointwise<T(T, std::int64_t)>::apply(context, integer_power, base, exponent));
    context.output(0, Pointwise<T(T, double)>::apply(context, real, base, exponent));
  });
}

void evaluate_neg(EvaluateContext& context) {
  evaluate_unary<NumberTypes>(context, [](auto x) {
    if constexpr (std::is_integral_v<decltype(x)>) return 0 - wrapping(x);
    else return -x;
  });
}

void evaluate_abs(EvaluateContext& context) {
  evaluate_unary<NumberTypes>(context, [](auto x) {
    if constexpr (std::is_integral_v<decltype(x)>) return x < 0 ? 0 - wrapping(x) : wrapping(x);
    else return std::fabs(x);
  });
}

void evaluate_sign(EvaluateContext& context) {
  evaluate_unary<NumberTypes>(context, [](auto x) {
    if (x > 0) return static_cast<decltype(x)>(1);
    return x < 0 ? static_cast<decltype(x)>(-1) : x;  // zeros and NaN stay
  });
}

void evaluate_reciprocal(EvaluateContext& context) {
  evaluate_unary<FloatTypes>(context, [](auto x) { return 1 / x; });
}
void evaluate_sqrt(EvaluateContext& context) {
  evaluate_unary<FloatTypes>(context, [](auto x) { return std::sqrt(x); });
}
void evaluate_floor(EvaluateContext& context) {
  evaluate_unary<FloatTypes>(context, [](auto x) { return std::floor(x); });
}
void evaluate_ceil(EvaluateContext& context) {
  evaluate_unary<FloatTypes>(context, [](auto x) { return std::ceil(x); });
}
void evaluate_round(EvaluateContext& context) {
  // To nearest, ties to even: the rounding mode every thread starts with.
  evaluate_unary<FloatTypes>(context, [](auto x) { return std::nearbyint(x); });
}
void evaluate_exp(EvaluateContext& context) {
  evaluate_unary<FloatTypes>(context, [](double x) { return std::exp(x); });
}
void evaluate_log(EvaluateContext& context) {
  evaluate_unary<FloatTypes>(context, [](double x) { return std::log(x); });
}
void evaluate_erf(EvaluateContext& context) {
  evaluate_unary<NumberTypes>(context, [](auto x) { return std::erf(static_cast<double>(x)); });
}

void evaluate_bit_shift(EvaluateContext& context) {
  const std::string& direction = context.text("direction");
  if (direction != "LEFT" && direction != "RIGHT") context.fail("direction is '{}', not LEFT or RIGHT", direction);
  const bool left = direction == "LEFT";
  evaluate_binary<UnsignedTypes>(context, [left](auto value, auto distance) -> std::uint64_t {
    if (distance >= 8 * sizeof(value)) return 0;
    return left ? std::uint64_t{value} << distance : std::uint64_t{value} >> distance;
  });
}

/// Folds all inputs with a function that is exact, two at a time.
template <class Function>
void evaluate_fold(EvaluateContext& context, Function function) {
  Tensor folded = context.tensor(0);
  dispatch(context, folded.type(), NumberTypes{}, [&](auto zero) {
    using T = decltype(zero);
    for (std::size_t i = 1; i < context.input_count(); ++i)
      folded = Pointwise<T(T, T)>::apply(context, function, folded, context.tensor(i));
  });
  context.output(0, folded);
}

template <class T>
bool is_nan(T value) {
  return value != value;
}

void evaluate_max(EvaluateContext& context) {
  evaluate_fold(context, [](auto a, auto b) { return a > b || is_nan(a) ? a : b; });
}

void evaluate_min(EvaluateContext& context) {
  evaluate_fold(context, [](auto a, auto b) { return a < b || is_nan(a) ? a : b; });
}

enum class Total { sum, mean };

/// Adds all inputs in double and rounds once.
void evaluate_total(EvaluateContext& context, Total total) {
  const ElementType type = context.tensor(0).type();
  dispatch(context, type, FloatTypes{}, [&](auto zero) {
    using T = decltype(zero);
    Tensor sum = Tensor::scalar(0.0);
    for (std::size_t i = 0; i < context.input_count(); ++i)
      sum = Pointwise<double(double, T)>::apply(
          context, [](double so_far, auto x) { return so_far + x; }, sum, context.tensor(i));
    const double count = total == Total::mean ? static_cast<double>(context.input_count()) : 1;
    context.output(0, Pointwise<T(double)>::apply(
                          context, [count](double x) { return convert<T>(x / count); }, sum));
  });
}

void evaluate_sum(EvaluateContext& context) { evaluate_total(context, Total::sum); }
void evaluate_mean(EvaluateContext& context) { evaluate_total(context, Total::mean); }

Dim plus(Dim a, Dim b) { return a + b; }
Dim minus(Dim a, Dim b) { return a - b; }
Dim times(Dim a, Dim b) { return a * b; }
Dim larger(Dim a, Dim b) { return maximum(a, b); }
Dim smaller(Dim a, Dim b) { return minimum(a, b); }

/// Division rounds toward zero, which is down when neither side is negative, and neither when it comes out even.
Dim truncated_quotient(Dim a, Dim b) {
  if (a.known() && b.known()) return b == Dim(0) ? Dim() : Dim(a.value() / b.value());
  const Dim floored = floor_div(a, b);
  const bool exact = floored * b == a;
  return exact || (never_negative(a) && never_negative(b)) ? floored : Dim();
}

void infer_mod(InferContext& context) {
  infer_broadcast(context);
  if (context.integer("fmod") == 0) infer_contents(context, [](Dim a, Dim b) { return remainder(a, b); });
}

/// Extremes of two inputs; more do not occur in shape arithmetic.
template <Dim (*combine)(Dim, Dim)>
void infer_extreme(InferContext& context) {
  infer_broadcast(context);
  if (context.input_count() == 2) infer_contents(context, combine);
}

template <Dim (*change)(Dim)>
void infer_unary_arithmetic(InferContext& context) {
  infer_like_input(context);
  infer_contents(context, change);
}

Dim negated(Dim d) { return 0 - d; }
Dim magnitude(Dim d) { return never_negative(d) ? d : d.known() ? 0 - d : Dim(); }

/// The exponent may have another type than the base.
void infer_pow(InferContext& context) { infer_broadcast(context, context.element(0)); }

const std::vector<AttributeSpec> kLegacyBroadcast = legacy_broadcast_attributes();

// clang-format off
const OpFamily arithmetic_family({
    {.name = "Add", .versions = {1, 6, 7, 13, 14}, .inputs = {2, 2}, .attributes = kLegacyBroadcast,
     .kind = OpKind::pointwise, .commutative = true, .degree = Degree::sum,
     .infer = infer_arithmetic<plus>, .evaluate = evaluate_add},
    {.name = "Sub", .versions = {1, 6, 7, 13, 14}, .inputs = {2, 2}, .attributes = kLegacyBroadcast,
     .kind = OpKind::pointwise, .degree = Degree::sum, .infer = infer_arithmetic<minus>, .evaluate = evaluate_sub},
    {.name = "Mul", .versions = {1, 6, 7, 13, 14}, .inputs = {2, 2}, .attributes = kLegacyBroadcast,
     .kind = OpKind::pointwise, .commutative = true, .degree = Degree::product,
     .infer = infer_arithmetic<times>, .evaluate = evaluate_mul},
    {.name = "Div", .versions = {1, 6, 7, 13, 14}, .inputs = {2, 2}, .attributes = kLegacyBroadcast,
     .kind = OpKind::pointwise, .infer = infer_arithmetic<truncated_quotient>, .evaluate = evaluate_div},
    {.name = "Pow", .versions = {1, 7, 12, 13, 15}, .inputs = {2, 2}, .attributes = kLegacyBroadcast,
     .kind = OpKind::pointwise, .infer = infer_pow, .evaluate = evaluate_pow},
    {.name = "Mod", .versions = {10, 13}, .inputs = {2, 2}, .attributes = {integer("fmod", 0)},
     .kind = OpKind::pointwise, .infer = infer_mod, .evaluate = evaluate_mod},
    {.name = "BitShift", .versions = {11}, .inputs = {2, 2}, .attributes = {text("direction")},
     .kind = OpKind::pointwise, .infer = infer_broadcast, .evaluate = evaluate_bit_shift},

    {.name = "Neg", .versions = {1, 6, 13}, .kind = OpKind::pointwise, .degree = Degree::sum,
     .infer = infer_unary_arithmetic<negated>, .evaluate = evaluate_neg},
    {.name = "Abs", .versions = {1, 6, 13}, .kind = OpKind::pointwise,
     .infer = infer_unary_arithmetic<magnitude>, .evaluate = evaluate_abs},
    unary_operator("Sign", {9, 13}, evaluate_sign),
    unary_operator("Reciprocal", {1, 6, 13}, evaluate_reciprocal),
    unary_operator("Sqrt", {1, 6, 13}, evaluate_sqrt),
    unary_operator("Floor", {1, 6, 13}, evaluate_floor),
    unary_operator("Ceil", {1, 6, 13}, evaluate_ceil),
    unary_operator("Round", {11, 22}, evaluate_round),
    unary_operator("Exp", {1, 6, 13}, evaluate_exp),
    unary_operator("Log", {1, 6, 13}, evaluate_log),
    unary_operator("Erf", {9, 13}, evaluate_erf),

    {.name = "Max", .versions = {1, 6, 8, 12, 13}, .inputs = {1, kMany}, .kind = OpKind::pointwise, .commutative = true,
     .infer = infer_extreme<larger>, .evaluate = evaluate_max, .flops = flops_of_fold},
    {.name = "Min", .versions = {1, 6, 8, 12, 13}, .inputs = {1, kMany}, .kind = OpKind::pointwise, .commutative = true,
     .infer = infer_extreme<smaller>, .evaluate = evaluate_min, .flops = flops_of_fold},
    {.name = "Sum", .versions = {1, 6, 8, 13}, .inputs = {1, kMany},
     .kind = OpKind::pointwise, .commutative = true, .degree = Degree::sum,
     .infer = infer_broadcast, .evaluate = evaluate_sum, .flops = flops_of_fold},
    {.name = "Mean", .versions = {1, 6, 8, 13}, .inputs = {1, kMany}, .kind = OpKind::pointwise, .degree = Degree::mean,
     .infer = infer_broadcast, .evaluate = evaluate_mean, .flops = flops_of_fold},
});
// clang-format on

}  // namespace
}  // namespace hone
