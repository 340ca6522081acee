#include <cmath>

#include "zoo/autodiff.h"

// Gradients of elementwise operators. In the comments g is the gradient of the output y.

namespace hone::zoo {
namespace {

using Context = const GradientContext&;

/// g where the condition holds, else 0.
ValueId masked(Context c, ValueId condition, ValueId g) {
  return c.emit().where(condition, g, c.emit().scalar_like(g, 0));
}

void add(Context c) {
  for (std::size_t i = 0; i < c.input_count(); ++i) c.give(i, c.gradient());
}

void sub(Context c) {
  c.give(0, c.gradient());
  if (c.wants(1)) c.give(1, c.emit().neg(c.gradient()));
}

void mul(Context c) {
  for (const std::size_t i : {0, 1})
    if (c.wants(i)) c.give(i, c.emit().mul(c.gradient(), c.input(1 - i)));
}

void div(Context c) {
  const ValueId scaled = c.emit().div(c.gradient(), c.input(1));
  c.give(0, scaled);
  if (c.wants(1)) c.give(1, c.emit().neg(c.emit().mul(scaled, c.output())));
}

void pow(Context c) {
  Emitter& e = c.emit();
  const ValueId x = c.input(0), exponent = c.input(1), g = c.gradient();
  if (c.wants(0)) {
    const ValueId lower = e.binary("Pow", x, e.sub(exponent, e.scalar_like(exponent, 1)));
    c.give(0, e.mul(g, e.mul(lower, exponent)));
  }
  if (c.wants(1)) c.give(1, e.mul(g, e.mul(c.output(), e.unary("Log", x))));
}

/// Max and Min of any number of operands; a tie gives the gradient to each.
void extremum(Context c) {
  for (std::size_t i = 0; i < c.input_count(); ++i)
    if (c.wants(i)) c.give(i, masked(c, c.emit().compare("Equal", c.input(i), c.output()), c.gradient()));
}

void where(Context c) {
  Emitter& e = c.emit();
  const ValueId g = c.gradient(), zero = e.scalar_like(g, 0);
  if (c.wants(1)) c.give(1, e.where(c.input(0), g, zero));
  if (c.wants(2)) c.give(2, e.where(c.input(0), zero, g));
}

void cast(Context c) { c.give(0, c.emit().cast(c.gradient(), c.emit().element_of(c.input(0)))); }

void mean(Context c) {
  const ValueId share = c.emit().mul(c.gradient(), 1.0 / static_cast<double>(c.input_count()));
  for (std::size_t i = 0; i < c.input_count(); ++i) c.give(i, share);
}

/// g (1 - y^2)
void tanh(Context c) {
  Emitter& e = c.emit();
  const ValueId y = c.output();
  c.give(0, e.mul(c.gradient(), e.sub(e.scalar_like(y, 1), e.mul(y, y))));
}

/// g y (1 - y)
void sigmoid(Context c) {
  Emitter& e = c.emit();
  const ValueId y = c.output();
  c.give(0, e.mul(c.gradient(), e.mul(y, e.sub(e.scalar_like(y, 1), y))));
}

void relu(Context c) {
  const ValueId y = c.output();
  c.give(0, masked(c, c.emit().compare("Greater", y, c.emit().scalar_like(y, 0)), c.gradient()));
}

void leaky_relu(Context c) {
  Emitter& e = c.emit();
  const ValueId g = c.gradient(), x = c.input(0);
  const ValueId positive = e.compare("Greater", x, e.scalar_like(x, 0));
  c.give(0, e.where(positive, g, e.mul(g, c.number("alpha", 0.01))));
}

/// x > 0: g; else g alpha e^x = g (y + alpha).
void elu(Context c) {
  Emitter& e = c.emit();
  const ValueId g = c.gradient(), x = c.input(0);
  const ValueId positive = e.compare("Greater", x, e.scalar_like(x, 0));
  c.give(0, e.where(positive, g, e.mul(g, e.add(c.output(), c.number("alpha", 1)))));
}

/// Where the operand lies strictly inside the bounds it passes through.
ValueId inside(Context c, ValueId x, ValueId low, ValueId high) {
  Emitter& e = c.emit();
  const ValueId above = e.compare("Greater", x, low), below = e.compare("Less", x, high);
  return e.emit("And", {above, below}, e.dims(x));
}

void clip(Context c) {
  Emitter& e = c.emit();
  const ValueId x = c.input(0), low = c.input(1), high = c.input(2);
  if (low.valid() && high.valid()) return c.give(0, masked(c, inside(c, x, low, high), c.gradient()));
  ValueId g = c.gradient();
  if (low.valid()) g = masked(c, e.compare("Greater", x, low), g);
  if (high.valid()) g = masked(c, e.compare("Less", x, high), g);
  c.give(0, g);
}

/// y = max(0, min(1, alpha x + beta))
void hard_sigmoid(Context c) {
  Emitter& e = c.emit();
  const ValueId y = c.output();
  const ValueId slope = e.mul(c.gradient(), c.number("alpha", 0.2));
  c.give(0, masked(c, inside(c, y, e.scalar_like(y, 0), e.scalar_like(y, 1)), slope));
}

/// y = x h(x) with h = clip(x / 6 + 1/2, 0, 1): g (h + x / 6 inside).
void hard_swish(Context c) {
  Emitter& e = c.emit();
  const ValueId x = c.input(0), sixth = e.mul(x, 1.0 / 6);
  const ValueId h = e.clip(e.add(sixth, 0.5), 0, 1);
  const ValueId bend = masked(c, inside(c, x, e.scalar_like(x, -3), e.scalar_like(x, 3)), sixth);
  c.give(0, e.mul(c.gradient(), e.add(h, bend)));
}

/// g 2 / sqrt(pi) e^(-x^2)
void erf(Context c) {
  Emitter& e = c.emit();
  const ValueId x = c.input(0);
  const ValueId bell = e.exp(e.neg(e.mul(x, x)));
  c.give(0, e.mul(c.gradient(), e.mul(bell, 2 / std::sqrt(3.14159265358979323846))));
}

/// For y = f(x) with f' = d(x, y): gives g d.
template <ValueId (*Derivative)(Emitter&, ValueId x, ValueId y)>
void smooth(Context c) {
  c.give(0, c.emit().mul(c.gradient(), Derivative(c.emit(), c.input(0), c.output())));
}

ValueId d_exp(Emitter&, ValueId, ValueId y) { return y; }
ValueId d_log(Emitter& e, ValueId x, ValueId) { return e.unary("Reciprocal", x); }
ValueId d_sqrt(Emitter& e, ValueId, ValueId y) { return e.div(e.scalar_like(y, 0.5), y); }
ValueId d_reciprocal(Emitter& e, ValueId, ValueId y) { return e.neg(e.mul(y, y)); }
ValueId d_softplus(Emitter& e, ValueId x, ValueId) { return e.sigmoid(x); }
ValueId d_abs(Emitter& e, ValueId x, ValueId) { return e.unary("Sign", x); }
ValueId d_sin(Emitter& e, ValueId x, ValueId) { return e.unary("Cos", x); }
ValueId d_cos(Emitter& e, ValueId x, ValueId) { return e.neg(e.unary("Sin", x)); }

void neg(Context c) { c.give(0, c.emit().neg(c.gradient())); }

const GradientFamily gradients_pointwise_family({
    {"Add", add},
    {"Sum", add},
    {"Identity", add},
    {"Sub", sub},
    {"Mul", mul},
    {"Div", div},
    {"Pow", pow},
    {"Neg", neg},
    {"Max", extremum},
    {"Min", extremum},
    {"Mean", mean},
    {"Where", where},
    {"Cast", cast},
    {"Relu", relu},
    {"LeakyRelu", leaky_relu},
    {"Elu", elu},
    {"Clip", clip},
    {"HardSigmoid", hard_sigmoid},
    {"HardSwish", hard_swish},
    {"Erf", erf},
    {"Tanh", tanh},
    {"Sigmoid", sigmoid},
    {"Exp", smooth<d_exp>},
    {"Log", smooth<d_log>},
    {"Sqrt", smooth<d_sqrt>},
    {"Reciprocal", smooth<d_reciprocal>},
    {"Softplus", smooth<d_softplus>},
    {"Abs", smooth<d_abs>},
    {"Sin", smooth<d_sin>},
    {"Cos", smooth<d_cos>},
    {"Shape"},
    {"Size"},
    {"ConstantOfShape"},
    {"Equal"},
    {"Greater"},
    {"GreaterOrEqual"},
    {"Less"},
    {"LessOrEqual"},
    {"Not"},
    {"And"},
    {"Or"},
    {"Xor"},
    {"IsNaN"},
    {"IsInf"},
    {"Sign"},
    {"Floor"},
    {"Ceil"},
    {"Round"},
    {"ArgMax"},
    {"ArgMin"},
    {"NonZero"},
    {"OneHot"},
    {"Range"},
});

}  // namespace
}  // namespace hone::zoo
