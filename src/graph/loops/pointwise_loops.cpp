#include <cmath>
#include <limits>
#include <numbers>

#include "graph/loops/operator_loop.h"

// Operators that compute every element by itself.

namespace hone {
namespace {

using LoopValues = std::span<const LoopValue>;
using PointwiseLoop = std::optional<OperatorLoop>;

bool is_real(const LoopContext& context) { return is_loop_real(context.element(0)); }
/// Integers above the largest int64 are below 0 in loops.
bool is_natural(const LoopContext& context) { return context.element(0) == ElementType::uint64; }

template <LoopOp op>
PointwiseLoop describe_unary(const LoopContext& context, std::size_t) {
  return pointwise_loop(context, [](LoopBody& body, LoopValues x) { return body.apply(op, {x[0]}); });
}

template <LoopOp op>
PointwiseLoop describe_signed(const LoopContext& context, std::size_t output) {
  return is_natural(context) ? std::nullopt : describe_unary<op>(context, output);
}

template <LoopOp op>
PointwiseLoop describe_real_unary(const LoopContext& context, std::size_t output) {
  return is_real(context) ? describe_unary<op>(context, output) : std::nullopt;
}

template <LoopOp op>
PointwiseLoop describe_binary(const LoopContext& context, std::size_t) {
  if (op == LoopOp::divide && is_natural(context)) return std::nullopt;
  return pointwise_loop(context, [](LoopBody& body, LoopValues x) { return body.apply(op, {x[0], x[1]}); });
}

/// Natural numbers in an order that integers have: each as far from the lowest of them.
LoopValue shifted(LoopBody& body, LoopValue x) { return body.add(x, body.constant(LoopType::integer, -0x1.0p63)); }

template <LoopOp op>
PointwiseLoop describe_comparison(const LoopContext& context, std::size_t) {
  return pointwise_loop(context, [natural = is_natural(context)](LoopBody& body, LoopValues x) {
    return natural ? body.apply(op, {shifted(body, x[0]), shifted(body, x[1])}) : body.apply(op, {x[0], x[1]});
  });
}

/// Greater is less with its operands exchanged.
template <LoopOp op>
PointwiseLoop describe_reversed(const LoopContext& context, std::size_t) {
  return pointwise_loop(context, [natural = is_natural(context)](LoopBody& body, LoopValues x) {
    return natural ? body.apply(op, {shifted(body, x[1]), shifted(body, x[0])}) : body.apply(op, {x[1], x[0]});
  });
}

template <LoopOp op>
PointwiseLoop describe_extreme(const LoopContext& context, std::size_t) {
  return pointwise_loop(context, [natural = is_natural(context)](LoopBody& body, LoopValues x) {
    const auto ordered = [&](LoopValue value) { return natural ? shifted(body, value) : value; };
    LoopValue best = ordered(x[0]);
    for (const LoopValue next : x.subspan(1)) best = body.apply(op, {best, ordered(next)});
    return ordered(best);
  });
}

template <LoopOp op>
PointwiseLoop describe_fold(const LoopContext& context, std::size_t) {
  return pointwise_loop(context, [](LoopBody& body, LoopValues x) {
    LoopValue total = x[0];
    for (const LoopValue next : x.subspan(1)) total = body.apply(op, {total, next});
    return total;
  });
}

PointwiseLoop describe_mean(const LoopContext& context, std::size_t) {
  if (!is_real(context)) return std::nullopt;
  return pointwise_loop(context, [](LoopBody& body, LoopValues x) {
    LoopValue total = x[0];
    for (const LoopValue next : x.subspan(1)) total = body.add(total, next);
    return body.divide(total, body.real(static_cast<double>(x.size())));
  });
}

/// What is left of a division that rounds down, or toward zero.
PointwiseLoop describe_mod(const LoopContext& context, std::size_t) {
  if (is_natural(context)) return std::nullopt;
  return pointwise_loop(context, [truncated = context.integer("fmod") != 0](LoopBody& body, LoopValues x) {
    const LoopValue left = body.apply(LoopOp::modulo, {x[0], x[1]});
    if (truncated) return left;
    const LoopValue zero = body.constant(body[left].type, 0);
    const auto negative = [&](LoopValue value) { return body.apply(LoopOp::less, {value, zero}); };
    const LoopValue other_sign = body.apply(LoopOp::unlike, {negative(left), negative(x[1])});
    const LoopValue some = body.apply(LoopOp::inverse, {body.apply(LoopOp::equal, {left, zero})});
    return body.apply(LoopOp::select, {body.apply(LoopOp::both, {other_sign, some}), body.add(left, x[1]), left});
  });
}

/// Integers to a real power; those to the power of an integer may wrap.
PointwiseLoop describe_integer_power(const LoopContext& context) {
  if (!is_loop_real(context.element(1)) || is_natural(context)) return std::nullopt;
  return pointwise_loop(context, [](LoopBody& body, LoopValues x) {
    const LoopValue base = body.as(LoopType::wide, x[0]), exponent = body.as(LoopType::wide, x[1]);
    return body.as(LoopType::integer, body.apply(LoopOp::power, {base, exponent}));
  });
}

/// Powers that are a few products are written as such.
PointwiseLoop describe_pow(const LoopContext& context, std::size_t) {
  if (context.element(1) == ElementType::uint64) return std::nullopt;
  if (!is_real(context)) return describe_integer_power(context);
  const std::optional<double> exponent = context.number_input(1);
  return pointwise_loop(context, [exponent](LoopBody& body, LoopValues x) {
    const LoopValue base = x[0];
    if (exponent == 1) return base;
    if (exponent == 2) return body.multiply(base, base);
    if (exponent == 3) return body.multiply(body.multiply(base, base), base);
    if (exponent == -1) return body.apply(LoopOp::reciprocal, {base});
    return body.apply(LoopOp::power, {base, body.as(body.reals(), x[1])});
  });
}

LoopValue select(LoopBody& body, LoopValue condition, LoopValue a, LoopValue b) {
  return body.apply(LoopOp::select, {condition, a, b});
}
LoopValue less(LoopBody& body, LoopValue a, LoopValue b) { return body.apply(LoopOp::less, {a, b}); }

template <LoopValue (*function)(LoopBody&, LoopValue)>
PointwiseLoop describe_real(const LoopContext& context, std::size_t) {
  if (!is_real(context)) return std::nullopt;
  return pointwise_loop(context, [](LoopBody& body, LoopValues x) { return function(body, x[0]); });
}

PointwiseLoop describe_relu(const LoopContext& context, std::size_t) {
  if (is_natural(context)) return std::nullopt;
  return pointwise_loop(context, [](LoopBody& body, LoopValues x) {
    return body.apply(LoopOp::maximum, {x[0], body.constant(body[x[0]].type, 0)});
  });
}

PointwiseLoop describe_leaky_relu(const LoopContext& context, std::size_t) {
  if (!is_real(context)) return std::nullopt;
  return pointwise_loop(context, [alpha = context.number("alpha")](LoopBody& body, LoopValues x) {
    return select(body, less(body, x[0], body.real(0)), body.multiply(x[0], body.real(alpha)), x[0]);
  });
}

PointwiseLoop describe_prelu(const LoopContext& context, std::size_t) {
  if (!is_real(context)) return std::nullopt;
  OperatorLoop loop = pointwise_loop(context, [](LoopBody& body, LoopValues x) {
    return select(body, less(body, x[0], body.real(0)), body.multiply(x[0], x[1]), x[0]);
  });
  // Before opset 7 a list of slopes belongs to the channels.
  if (context.version() < 7 && context.dims(1).size() == 1 && loop.space.size() >= 2) {
    loop.reads[1].strides = Dims(loop.space.size(), 0);
    loop.reads[1].strides[1] = context.dims(1)[0] == 1 ? 0 : 1;
  }
  return loop;
}

PointwiseLoop describe_hard_sigmoid(const LoopContext& context, std::size_t) {
  if (!is_real(context)) return std::nullopt;
  const double alpha = context.number("alpha"), beta = context.number("beta");
  return pointwise_loop(context, [alpha, beta](LoopBody& body, LoopValues x) {
    const LoopValue line = body.add(body.multiply(x[0], body.real(alpha)), body.real(beta));
    return body.apply(LoopOp::minimum, {body.apply(LoopOp::maximum, {line, body.real(0)}), body.real(1)});
  });
}

LoopValue hard_swish(LoopBody& body, LoopValue x) {
  const LoopValue line = body.add(body.multiply(x, body.real(1.0 / 6)), body.real(0.5));
  const LoopValue bounded =
      body.apply(LoopOp::minimum, {body.apply(LoopOp::maximum, {line, body.real(0)}), body.real(1)});
  return body.multiply(x, bounded);
}

/// log(1 + exp(x)) without overflow.
LoopValue soft_plus(LoopBody& body, LoopValue x) {
  const LoopValue fraction = body.apply(LoopOp::exp, {body.apply(LoopOp::negate, {body.apply(LoopOp::absolute, {x})})});
  return body.add(body.apply(LoopOp::maximum, {x, body.real(0)}), body.apply(LoopOp::log_plus_one, {fraction}));
}

LoopValue soft_sign(LoopBody& body, LoopValue x) {
  return body.divide(x, body.add(body.real(1), body.apply(LoopOp::absolute, {x})));
}

LoopValue mish(LoopBody& body, LoopValue x) { return body.multiply(x, body.apply(LoopOp::tanh, {soft_plus(body, x)})); }

LoopValue gelu(LoopBody& body, LoopValue x) {
  const LoopValue erf = body.apply(LoopOp::erf, {body.multiply(x, body.real(1 / std::numbers::sqrt2))});
  return body.multiply(body.multiply(x, body.real(0.5)), body.add(erf, body.real(1)));
}

LoopValue gelu_by_tanh(LoopBody& body, LoopValue x) {
  const LoopValue cube = body.multiply(body.multiply(body.multiply(x, x), x), body.real(0.044715));
  const LoopValue scaled = body.multiply(body.add(x, cube), body.real(std::sqrt(2 / std::numbers::pi)));
  return body.multiply(body.multiply(x, body.real(0.5)), body.add(body.apply(LoopOp::tanh, {scaled}), body.real(1)));
}

PointwiseLoop describe_gelu(const LoopContext& context, std::size_t output) {
  return context.text("approximate") == "tanh" ? describe_real<gelu_by_tanh>(context, output)
                                               : describe_real<gelu>(context, output);
}

PointwiseLoop describe_swish(const LoopContext& context, std::size_t) {
  if (!is_real(context)) return std::nullopt;
  return pointwise_loop(context, [alpha = context.number("alpha")](LoopBody& body, LoopValues x) {
    return body.multiply(x[0], body.apply(LoopOp::sigmoid, {body.multiply(x[0], body.real(alpha))}));
  });
}

/// A bound that is an attribute before opset 11; nothing where it is not given.
std::optional<double> clip_attribute(const LoopContext& context, std::string_view name) {
  if (context.version() >= 11 || !context.has_attribute(name)) return std::nullopt;
  return context.number(name);
}

/// The upper bound wins where the two cross; NaN stays.
PointwiseLoop describe_clip(const LoopContext& context, std::size_t) {
  if (is_natural(context)) return std::nullopt;
  const bool has_low = context.has_input(1), has_high = context.has_input(2);
  const auto low = clip_attribute(context, "min"), high = clip_attribute(context, "max");
  return pointwise_loop(context, [=](LoopBody& body, LoopValues x) {
    LoopValue bounded = x[0];
    const LoopType type = body[bounded].type;
    if (has_low || low) bounded = body.apply(LoopOp::maximum, {bounded, low ? body.constant(type, *low) : x[1]});
    if (has_high || high)
      bounded = body.apply(LoopOp::minimum, {bounded, high ? body.constant(type, *high) : x[has_low ? 2 : 1]});
    return bounded;
  });
}

PointwiseLoop describe_where(const LoopContext& context, std::size_t) {
  return pointwise_loop(context, [](LoopBody& body, LoopValues x) { return select(body, x[0], x[1], x[2]); });
}

PointwiseLoop describe_cast(const LoopContext& context, std::size_t) {
  const ElementType to = context.output_element(0);
  if (is_natural(context) && is_loop_real(to)) return std::nullopt;
  OperatorLoop loop =
      pointwise_loop(context, [type = loop_type_of(to)](LoopBody& body, LoopValues x) { return body.as(type, x[0]); });
  loop.inputs.resize(1);  // what CastLike takes its type from is not read
  loop.reads.resize(1);
  return loop;
}

/// Scale and shift by channel, from statistics that are given.
PointwiseLoop describe_batch_normalization(const LoopContext& context, std::size_t) {
  if (!is_real(context) || (context.version() < 7 && context.integer("is_test") == 0)) return std::nullopt;
  if (context.version() < 9 && context.integer("spatial") == 0) return std::nullopt;
  if (context.version() >= 14 && context.integer("training_mode") != 0) return std::nullopt;
  for (std::size_t i = 1; i < context.output_count(); ++i)
    if (context.wants_output(i)) return std::nullopt;
  OperatorLoop loop{.space = context.output_dims(0), .inputs = {0, 1, 2, 3, 4}};
  if (loop.space.size() < 2) return std::nullopt;
  Dims channel(loop.space.size(), 0), dense(loop.space.size(), 1);
  for (std::size_t axis = dense.size() - 1; axis-- > 0;) dense[axis] = dense[axis + 1] * loop.space[axis + 1];
  channel[1] = 1;
  loop.writes = dense;
  loop.reads = {
      {.strides = dense}, {.strides = channel}, {.strides = channel}, {.strides = channel}, {.strides = channel}};
  loop.body = [epsilon = context.number("epsilon")](LoopBody& body, LoopValues x) {
    const LoopValue deviation = body.apply(LoopOp::sqrt, {body.add(x[4], body.real(epsilon))});
    const LoopValue scale = body.divide(x[1], deviation);
    return body.add(body.multiply(body.subtract(x[0], x[3]), scale), x[2]);
  };
  return loop;
}

const LoopFamily pointwise_loops({
    {"Add", describe_binary<LoopOp::add>},
    {"Sub", describe_binary<LoopOp::subtract>},
    {"Mul", describe_binary<LoopOp::multiply>},
    {"Div", describe_binary<LoopOp::divide>},
    {"Mod", describe_mod},
    {"Pow", describe_pow},
    {"Max", describe_extreme<LoopOp::maximum>},
    {"Min", describe_extreme<LoopOp::minimum>},
    {"Sum", describe_fold<LoopOp::add>},
    {"Mean", describe_mean},
    {"Neg", describe_unary<LoopOp::negate>},
    {"Abs", describe_signed<LoopOp::absolute>},
    {"Sign", describe_signed<LoopOp::sign>},
    {"Reciprocal", describe_real_unary<LoopOp::reciprocal>},
    {"Sqrt", describe_real_unary<LoopOp::sqrt>},
    {"Exp", describe_real_unary<LoopOp::exp>},
    {"Log", describe_real_unary<LoopOp::log>},
    {"Tanh", describe_real_unary<LoopOp::tanh>},
    {"Sigmoid", describe_real_unary<LoopOp::sigmoid>},
    {"Erf", describe_real_unary<LoopOp::erf>},
    {"Sin", describe_real_unary<LoopOp::sine>},
    {"Cos", describe_real_unary<LoopOp::cosine>},
    {"Floor", describe_real_unary<LoopOp::floor>},
    {"Ceil", describe_real_unary<LoopOp::ceiling>},
    {"Round", describe_real_unary<LoopOp::round>},
    {"IsNaN", describe_real_unary<LoopOp::is_nan>},
    {"Not", describe_unary<LoopOp::inverse>},
    {"And", describe_binary<LoopOp::both>},
    {"Or", describe_binary<LoopOp::either>},
    {"Xor", describe_binary<LoopOp::unlike>},
    {"Less", describe_comparison<LoopOp::less>},
    {"LessOrEqual", describe_comparison<LoopOp::less_equal>},
    {"Equal", describe_binary<LoopOp::equal>},
    {"Greater", describe_reversed<LoopOp::less>},
    {"GreaterOrEqual", describe_reversed<LoopOp::less_equal>},
    {"Where", describe_where},
    {"Cast", describe_cast},
    {"CastLike", describe_cast},
    {"Relu", describe_relu},
    {"LeakyRelu", describe_leaky_relu},
    {"PRelu", describe_prelu},
    {"HardSigmoid", describe_hard_sigmoid},
    {"HardSwish", describe_real<hard_swish>},
    {"Softplus", describe_real<soft_plus>},
    {"Softsign", describe_real<soft_sign>},
    {"Mish", describe_real<mish>},
    {"Gelu", describe_gelu},
    {"Swish", describe_swish},
    {"Clip", describe_clip},
    {"BatchNormalization", describe_batch_normalization},
});

}  // namespace
}  // namespace hone
