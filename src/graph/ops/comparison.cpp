#include <algorithm>
#include <cmath>

#include "graph/ops/convert.h"
#include "graph/ops/family.h"
#include "graph/ops/pointwise.h"

// Comparisons, logic on bools and on bits, and the choice between two tensors.

namespace hone {
namespace {

void evaluate_equal(EvaluateContext& context) {
  evaluate_comparison<AllTypes>(context, [](const auto& a, const auto& b) { return a == b; });
}
void evaluate_less(EvaluateContext& context) {
  evaluate_comparison<NumberTypes>(context, [](auto a, auto b) { return a < b; });
}
void evaluate_less_or_equal(EvaluateContext& context) {
  evaluate_comparison<NumberTypes>(context, [](auto a, auto b) { return a <= b; });
}
void evaluate_greater(EvaluateContext& context) {
  evaluate_comparison<NumberTypes>(context, [](auto a, auto b) { return a > b; });
}
void evaluate_greater_or_equal(EvaluateContext& context) {
  evaluate_comparison<NumberTypes>(context, [](auto a, auto b) { return a >= b; });
}

void evaluate_and(EvaluateContext& context) {
  evaluate_binary<BooleanTypes>(context, [](bool a, bool b) { return a && b; });
}
void evaluate_or(EvaluateContext& context) {
  evaluate_binary<BooleanTypes>(context, [](bool a, bool b) { return a || b; });
}
void evaluate_xor(EvaluateContext& context) {
  evaluate_binary<BooleanTypes>(context, [](bool a, bool b) { return a != b; });
}
void evaluate_not(EvaluateContext& context) {
  evaluate_unary<BooleanTypes>(context, [](bool x) { return !x; });
}

void evaluate_bitwise_and(EvaluateContext& context) {
  evaluate_binary<IntegerTypes>(context, [](auto a, auto b) { return a & b; });
}
void evaluate_bitwise_or(EvaluateContext& context) {
  evaluate_binary<IntegerTypes>(context, [](auto a, auto b) { return a | b; });
}
void evaluate_bitwise_xor(EvaluateContext& context) {
  evaluate_binary<IntegerTypes>(context, [](auto a, auto b) { return a ^ b; });
}
void evaluate_bitwise_not(EvaluateContext& context) {
  evaluate_unary<IntegerTypes>(context, [](auto x) { return ~x; });
}

void evaluate_where(EvaluateContext& context) {
  const Tensor &condition = context.tensor(0), &yes = context.tensor(1), &no = context.tensor(2);
  dispatch(context, yes.type(), AllTypes{}, [&](auto sample) {
    using T = decltype(sample);
    const auto choose = [](bool chosen, const auto& a, const auto& b) { return chosen ? a : b; };
    context.output(0, Pointwise<T(bool, T, T)>::apply(context, choose, condition, yes, no));
  });
}

/// Answers a question about each element of any floating type.
template <class Predicate>
void evaluate_predicate(EvaluateContext& context, Predicate predicate) {
  const Tensor& x = context.tensor(0);
  if (!is_floating(x.type())) context.fail("is not defined for elements of type {}", name_of(x.type()));
  const Tensor wide = converted(x, ElementType::float64);
  context.output(0, Pointwise<bool(double)>::apply(context, predicate, wide));
}

void evaluate_is_nan(EvaluateContext& context) {
  evaluate_predicate(context, [](double x) { return std::isnan(x); });
}

void evaluate_is_inf(EvaluateContext& context) {
  const bool positive = context.integer("detect_positive") != 0, negative = context.integer("detect_negative") != 0;
  evaluate_predicate(context, [=](double x) { return std::isinf(x) && (x > 0 ? positive : negative); });
}

void infer_predicate(InferContext& context) { infer_like_input(context, ElementType::boolean); }

void infer_boolean(InferContext& context) { infer_broadcast(context, ElementType::boolean); }

Dim answer(bool yes) { return yes ? 1 : 0; }

// Two expressions are told apart when their difference is a number or has a sure sign.
Dim equals(Dim a, Dim b) {
  if (a.unknown() || b.unknown()) return {};
  const Dim difference = a - b;
  if (difference.known()) return answer(difference == Dim(0));
  return never_negative(difference - 1) || never_negative(b - a - 1) ? answer(false) : Dim();
}
Dim is_less(Dim a, Dim b) {
  if (never_negative(b - a - 1)) return answer(true);
  return never_negative(a - b) ? answer(false) : Dim();
}
Dim is_greater(Dim a, Dim b) { return is_less(b, a); }
Dim is_not(Dim a) { return 1 - a; }
Dim is_less_or_equal(Dim a, Dim b) { return is_not(is_less(b, a)); }
Dim is_greater_or_equal(Dim a, Dim b) { return is_not(is_less(a, b)); }
// On bools, which are 0 and 1; a 0 (a 1) decides alone.
Dim both(Dim a, Dim b) { return a * b; }
Dim either(Dim a, Dim b) { return 1 - (1 - a) * (1 - b); }

void infer_not(InferContext& context) {
  infer_predicate(context);
  infer_contents(context, is_not);
}

/// The chosen contents, element by element; an undecided condition leaves what both sides agree on.
Contents chosen(const Contents& condition, const Contents& yes, const Contents& no) {
  const auto element = [](const Contents& contents, std::size_t i) { return contents[contents.size() == 1 ? 0 : i]; };
  Contents contents;
  for (std::size_t i = 0; i < std::max({condition.size(), yes.size(), no.size()}); ++i) {
    const Dim decision = element(condition, i), a = element(yes, i), b = element(no, i);
    contents.push_back(decision == Dim(1) || a == b ? a : decision == Dim(0) ? b : Dim());
  }
  return contents;
}

void infer_where(InferContext& context) {
  infer_broadcast(context, context.element(context.element(1) != ElementType::undefined ? 1 : 2));
  const Type& type = context.outputs()[0].type;
  const std::optional<Contents> condition = context.contents(0), yes = context.contents(1), no = context.contents(2);
  if (!type.ranked || !condition || !yes || !no) return;
  const std::size_t count = std::max({condition->size(), yes->size(), no->size()});
  const auto lies_along = [count](const Contents& contents) {
    return contents.size() == 1 || contents.size() == count;
  };
  if (!lies_along(*condition) || !lies_along(*yes) || !lies_along(*no)) return;
  if (element_count(type.shape) == Dim(static_cast<std::int64_t>(count)))
    context.output_contents(0, chosen(*condition, *yes, *no));
}

// clang-format off
const std::vector<AttributeSpec> kOldBroadcast = legacy_broadcast_attributes();

const OpFamily comparison_family({
    {.name = "Equal", .versions = {1, 7, 11, 13, 19}, .inputs = {2, 2}, .attributes = kOldBroadcast,
     .kind = OpKind::pointwise, .commutative = true, .infer = infer_comparison<equals>, .evaluate = evaluate_equal},
    {.name = "Less", .versions = {1, 7, 9, 13}, .inputs = {2, 2}, .attributes = kOldBroadcast,
     .kind = OpKind::pointwise, .infer = infer_comparison<is_less>, .evaluate = evaluate_less},
    {.name = "LessOrEqual", .versions = {12, 16}, .inputs = {2, 2},
     .kind = OpKind::pointwise, .infer = infer_comparison<is_less_or_equal>, .evaluate = evaluate_less_or_equal},
    {.name = "Greater", .versions = {1, 7, 9, 13}, .inputs = {2, 2}, .attributes = kOldBroadcast,
     .kind = OpKind::pointwise, .infer = infer_comparison<is_greater>, .evaluate = evaluate_greater},
    {.name = "GreaterOrEqual", .versions = {12, 16}, .inputs = {2, 2},
     .kind = OpKind::pointwise, .infer = infer_comparison<is_greater_or_equal>, .evaluate = evaluate_greater_or_equal},

    {.name = "And", .versions = {1, 7}, .inputs = {2, 2}, .attributes = kOldBroadcast,
     .kind = OpKind::pointwise, .commutative = true, .infer = infer_comparison<both>, .evaluate = evaluate_and},
    {.name = "Or", .versions = {1, 7}, .inputs = {2, 2}, .attributes = kOldBroadcast,
     .kind = OpKind::pointwise, .commutative = true, .infer = infer_comparison<either>, .evaluate = evaluate_or},
    {.name = "Xor", .versions = {1, 7}, .inputs = {2, 2}, .attributes = kOldBroadcast,
     .kind = OpKind::pointwise, .commutative = true, .infer = infer_boolean, .evaluate = evaluate_xor},
    {.name = "Not", .versions = {1}, .kind = OpKind::pointwise, .infer = infer_not, .evaluate = evaluate_not},

    {.name = "BitwiseAnd", .versions = {18}, .inputs = {2, 2},
     .kind = OpKind::pointwise, .infer = infer_broadcast, .evaluate = evaluate_bitwise_and},
    {.name = "BitwiseOr", .versions = {18}, .inputs = {2, 2},
     .kind = OpKind::pointwise, .infer = infer_broadcast, .evaluate = evaluate_bitwise_or},
    {.name = "BitwiseXor", .versions = {18}, .inputs = {2, 2},
     .kind = OpKind::pointwise, .infer = infer_broadcast, .evaluate = evaluate_bitwise_xor},
    unary_operator("BitwiseNot", {18}, evaluate_bitwise_not),

    {.name = "Where", .versions = {9, 16}, .inputs = {3, 3},
     .kind = OpKind::pointwise, .infer = infer_where, .evaluate = evaluate_where},
    {.name = "IsNaN", .versions = {9, 13, 20}, .kind = OpKind::pointwise, .infer = infer_predicate, .evaluate = evaluate_is_nan},
    {.name = "IsInf", .versions = {10, 20}, .attributes = {integer("detect_negative", 1), integer("detect_positive", 1)},
     .kind = OpKind::pointwise, .infer = infer_predicate, .evaluate = evaluate_is_inf},
});
// clang-format on

}  // namespace
}  // namespace hone
