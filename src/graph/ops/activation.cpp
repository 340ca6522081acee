#include <cmath>
#include <limits>
#include <numbers>

#include "graph/ops/convert.h"
#include "graph/ops/family.h"
#include "graph/ops/pointwise.h"

// Activation functions of neural networks. Those with exponentials are computed in double and rounded once.

namespace hone {
namespace {

void evaluate_relu(EvaluateContext& context) {
  evaluate_unary<NumberTypes>(context, [](auto x) { return x < 0 ? static_cast<decltype(x)>(0) : x; });
}

void evaluate_leaky_relu(EvaluateContext& context) {
  evaluate_unary<FloatTypes>(context, [alpha = context.number("alpha")](auto x) { return x < 0 ? alpha * x : x; });
}

/// The slope of PRelu as it broadcasts: before opset 7 a vector of slopes belongs to the channels, axis 1.
Tensor slopes(const EvaluateContext& context) {
  const Tensor &x = context.tensor(0), &slope = context.tensor(1);
  if (context.version() >= 7 || slope.rank() != 1 || x.rank() < 2) return slope;
  Dims dims(x.rank() - 1, 1);
  dims[0] = slope.dim(0);
  return slope.reshaped(dims);
}

void evaluate_prelu(EvaluateContext& context) {
  const Tensor &x = context.tensor(0), slope = slopes(context);
  if (!(broadcast(context, x.dims(), slope.dims()) == x.dims())) context.fail("the slope is larger than the input");
  dispatch(context, x.type(), NumberTypes{}, [&](auto zero) {
    using T = decltype(zero);
    const auto function = [](auto value, auto factor) {
      return value < 0 ? wrapping(value) * wrapping(factor) : wrapping(value);
    };
    context.output(0, Pointwise<T(T, T)>::apply(context, function, x, slope));
  });
}

void evaluate_elu(EvaluateContext& context) {
  const double alpha = context.number("alpha");
  evaluate_unary<FloatTypes>(context, [alpha](double x) { return x < 0 ? alpha * std::expm1(x) : x; });
}

void evaluate_selu(EvaluateContext& context) {
  const double alpha = context.number("alpha"), gamma = context.number("gamma");
  evaluate_unary<FloatTypes>(context, [=](double x) { return x <= 0 ? gamma * alpha * std::expm1(x) : gamma * x; });
}

void evaluate_celu(EvaluateContext& context) {
  const double alpha = context.number("alpha");
  evaluate_unary<FloatTypes>(context, [alpha](double x) { return x < 0 ? alpha * std::expm1(x / alpha) : x; });
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

void evaluate_sigmoid(EvaluateContext& context) { evaluate_unary<FloatTypes>(context, sigmoid); }

/// 0 below, 1 above, a straight line between; NaN stays.
double hard_sigmoid(double x, double slope, double offset) {
  const double y = slope * x + offset;
  return y < 0 ? 0 : y > 1 ? 1 : y;
}

void evaluate_hard_sigmoid(EvaluateContext& context) {
  const double alpha = context.number("alpha"), beta = context.number("beta");
  evaluate_unary<FloatTypes>(context, [=](double x) { return hard_sigmoid(x, alpha, beta); });
}

void evaluate_hard_swish(EvaluateContext& context) {
  evaluate_unary<FloatTypes>(context, [](double x) { return x * hard_sigmoid(x, 1.0 / 6, 0.5); });
}

/// log(1 + exp(x)) without overflow.
double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

void evaluate_softplus(EvaluateContext& context) { evaluate_unary<FloatTypes>(context, softplus); }

void evaluate_softsign(EvaluateContext& context) {
  evaluate_unary<FloatTypes>(context, [](double x) { return x / (1 + std::fabs(x)); });
}

void evaluate_thresholded_relu(EvaluateContext& context) {
  evaluate_unary<FloatTypes>(context, [alpha = context.number("alpha")](auto x) { return x > alpha ? x : 0; });
}

double gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2)); }

double gelu_by_tanh(double x) {
  static const double scale = std::sqrt(2 / std::numbers::pi);
  return 0.5 * x * (1 + std::tanh(scale * (x + 0.044715 * x * x * x)));
}

void evaluate_gelu(EvaluateContext& context) {
  const std::string& approximate = context.text("approximate");
  if (approximate == "none") return evaluate_unary<FloatTypes>(context, gelu);
  if (approximate == "tanh") return evaluate_unary<FloatTypes>(context, gelu_by_tanh);
  context.fail("approximate is '{}', not none or tanh", approximate);
}

void evaluate_mish(EvaluateContext& context) {
  evaluate_unary<FloatTypes>(context, [](double x) { return x * std::tanh(softplus(x)); });
}

void evaluate_swish(EvaluateContext& context) {
  const double alpha = context.number("alpha");
  evaluate_unary<FloatTypes>(context, [alpha](double x) { return x * sigmoid(alpha * x); });
}

void evaluate_shrink(EvaluateContext& context) {
  const double lambd = context.number("lambd"), bias = context.number("bias");
  dispatch(context, context.tensor(0).type(), NumberTypes{}, [&](auto zero) {
    using T = decltype(zero);
    const auto shrink = [=](auto element) {
      const auto x = static_cast<double>(element);
      return convert<T>(x < -lambd ? x + bias : x > lambd ? x - bias : 0);
    };
    context.output(0, Pointwise<T(T)>::apply(context, shrink, context.tensor(0)));
  });
}

/// A bound of Clip, an input from opset 11 on and an attribute before; nullopt when it is not given.
template <class T>
std::optional<Computed<T>> clip_bound(const EvaluateContext& context, std::size_t input, std::string_view attribute) {
  if (context.version() < 11)
    return context.has_attribute(attribute) ? std::optional(convert<Computed<T>>(context.number(attribute)))
                                            : std::nullopt;
  if (!context.has_input(input)) return std::nullopt;
  if (context.tensor(input).count() != 1) context.fail("'{}' is not a single number", attribute);
  return static_cast<Computed<T>>(context.tensor(input).values<T>()[0]);
}

void evaluate_clip(EvaluateContext& context) {
  dispatch(context, context.tensor(0).type(), NumberTypes{}, [&](auto zero) {
    using T = decltype(zero);
    const auto low = clip_bound<T>(context, 1, "min"), high = clip_bound<T>(context, 2, "max");
    // The upper bound wins where the two cross; NaN stays.
    const auto clip = [=](auto x) {
      if (low && x < *low) x = *low;
      return high && x > *high ? *high : x;
    };
    context.output(0, Pointwise<T(T)>::apply(context, clip, context.tensor(0)));
  });
}

/// Bounds of shape arithmetic: Clip(n, 1) is a maximum.
void infer_clip(InferContext& context) {
  infer_like_input(context);
  std::optional<Contents> contents = context.contents(0);
  if (!contents || context.version() < 11) return;
  for (const std::size_t input : {std::size_t{1}, std::size_t{2}}) {
    if (!context.has_input(input)) continue;
    const std::optional<Contents> bound = context.contents(input);
    if (!bound || bound->size() != 1) return;
    for (Dim& d : *contents) d = input == 1 ? maximum(d, (*bound)[0]) : minimum(d, (*bound)[0]);
  }
  context.output_contents(0, *std::move(contents));
}

/// Dropout's mask is of the input's type before opset 10, of bools after.
ElementType mask_element(const NodeReader& node, ElementType data) {
  return node.version() >= 10 ? ElementType::boolean : data;
}

void infer_dropout(InferContext& context) {
  infer_like_input(context);
  Type mask = context.type(0);
  mask.element = mask_element(context, mask.element);
  context.output(1, mask);
}

/// The share of elements to drop: 0 unless the node asks for training.
double dropped_share(const EvaluateContext& context) {
  if (context.version() < 7) return context.integer("is_test") == 0 ? context.number("ratio") : 0;
  if (context.version() < 12) return 0;
  const bool training = context.has_input(2) && context.tensor(2).count() == 1 && context.tensor(2).integer_at(0) != 0;
  if (!training) return 0;
  if (!context.has_input(1)) return 0.5;
  if (context.tensor(1).count() != 1) context.fail("the ratio is not a single number");
  return context.tensor(1).number_at(0);
}

/// 1 for elements Dropout keeps, 0 for those it drops.
Tensor drawn_mask(EvaluateContext& context, double ratio) {
  Tensor mask = Tensor::zeros(ElementType::boolean, context.tensor(0).dims());
  const bool seeded = context.version() >= 12 && context.has_attribute("seed");
  Rng rng = seeded ? Rng(static_cast<std::uint64_t>(context.integer("seed"))) : context.rng();
  for (bool& keep : mask.write<bool>()) keep = ratio == 0 || rng.uniform() >= ratio;
  return mask;
}

void evaluate_dropout(EvaluateContext& context) {
  const Tensor& x = context.tensor(0);
  const double ratio = dropped_share(context);
  if (!(ratio >= 0 && ratio < 1)) context.fail("the ratio {} is not in [0, 1)", ratio);
  if (ratio == 0) context.output(0, x);
  if (ratio == 0 && !context.wants_output(1)) return;
  const Tensor mask = drawn_mask(context, ratio);
  context.output(1, converted(mask, mask_element(context, x.type())));
  if (ratio == 0) return;
  dispatch(context, x.type(), FloatTypes{}, [&](auto zero) {
    using T = decltype(zero);
    const auto scale = [=](double value, bool keep) { return convert<T>(keep ? value / (1 - ratio) : 0); };
    context.output(0, Pointwise<T(T, bool)>::apply(context, scale, x, mask));
  });
}

constexpr float kLargestFloat = std::numeric_limits<float>::max();

// clang-format off
const OpFamily activation_family({
    unary_operator("Relu", {1, 6, 13, 14}, evaluate_relu),
    unary_operator("LeakyRelu", {1, 6, 16}, evaluate_leaky_relu, {number("alpha", 0.01f)}),
    {.name = "PRelu", .versions = {1, 6, 7, 9, 16}, .inputs = {2, 2},
     .kind = OpKind::pointwise, .infer = infer_like_input, .evaluate = evaluate_prelu},
    unary_operator("Elu", {1, 6, 22}, evaluate_elu, {number("alpha", 1.0f)}),
    unary_operator("Selu", {1, 6, 22}, evaluate_selu,
                   {number("alpha", 1.6732f).until(6), number("gamma", 1.0507f).until(6), number("alpha", 1.67326319217681884765625f).since(6), number("gamma", 1.05070102214813232421875f).since(6)}),
    unary_operator("Celu", {12}, evaluate_celu, {number("alpha", 1.0f)}),
    unary_operator("Sigmoid", {1, 6, 13}, evaluate_sigmoid),
    unary_operator("HardSigmoid", {1, 6, 22}, evaluate_hard_sigmoid, {number("alpha", 0.2f), number("beta", 0.5f)}),
    unary_operator("HardSwish", {14, 22}, evaluate_hard_swish),
    unary_operator("Softplus", {1, 22}, evaluate_softplus),
    unary_operator("Softsign", {1, 22}, evaluate_softsign),
    unary_operator("ThresholdedRelu", {1, 10, 22}, evaluate_thresholded_relu, {number("alpha", 1.0f)}),
    unary_operator("Gelu", {20}, evaluate_gelu, {text("approximate", "none")}),
    unary_operator("Mish", {18, 22}, evaluate_mish),
    unary_operator("Swish", {24}, evaluate_swish, {number("alpha", 1.0f)}),
    unary_operator("Shrink", {9}, evaluate_shrink, {number("lambd", 0.5f), number("bias", 0.0f)}),
    {.name = "Clip", .versions = {1, 6, 11, 12, 13}, .inputs = {1, 3},
     .attributes = {number("min", -kLargestFloat).until(11), number("max", kLargestFloat).until(11)},
     .kind = OpKind::pointwise, .infer = infer_clip, .evaluate = evaluate_clip},
    // Random only in training, but the table cannot tell which node trains.
    {.name = "Dropout", .versions = {1, 6, 7, 10, 12, 13, 22}, .inputs = {1, 3}, .outputs = {1, 2},
     .attributes = {number("ratio", 0.5f).until(12), integer("is_test", 0).until(7), integer("seed").since(12)},
     .kind = OpKind::pointwise, .deterministic = false, .infer = infer_dropout, .evaluate = evaluate_dropout},
});
// clang-format on

}  // namespace
}  // namespace hone
