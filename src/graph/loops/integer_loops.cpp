#include <cmath>

#include "graph/loops/operator_loop.h"
#include "graph/ops/axes.h"

// Bits of integers, and reals as integers with a scale.

namespace hone {
namespace {

using IntegerLoop = std::optional<OperatorLoop>;
using IntegerValues = std::span<const LoopValue>;

LoopValue integer_constant(LoopBody& body, double number) { return body.constant(LoopType::integer, number); }

/// To the right of 64 bits without sign: what the sign has filled in goes away again.
LoopValue shifted_right(LoopBody& body, LoopValue x, LoopValue places) {
  const LoopValue zero = integer_constant(body, 0);
  const LoopValue rest = body.subtract(integer_constant(body, 64), places);
  const LoopValue filled = body.apply(LoopOp::shift_left, {integer_constant(body, -1), rest});
  const LoopValue mask = body.subtract(integer_constant(body, -1), filled);
  const LoopValue moved = body.apply(LoopOp::bit_and, {body.apply(LoopOp::shift_right, {x, places}), mask});
  return body.apply(LoopOp::select, {body.apply(LoopOp::equal, {places, zero}), x, moved});
}

/// Nothing is left of a number that is moved by all of its bits or more.
IntegerLoop describe_bit_shift(const LoopContext& context, std::size_t) {
  const bool left = context.text("direction") == "LEFT", all = context.element(0) == ElementType::uint64;
  const auto bits = static_cast<double>(bit_width(context.element(0)));
  return pointwise_loop(context, [=](LoopBody& body, IntegerValues x) {
    const LoopValue moved = left  ? body.apply(LoopOp::shift_left, {x[0], x[1]})
                            : all ? shifted_right(body, x[0], x[1])
                                  : body.apply(LoopOp::shift_right, {x[0], x[1]});
    const LoopValue within =
        body.apply(LoopOp::both, {body.apply(LoopOp::less, {x[1], integer_constant(body, bits)}),
                                  body.apply(LoopOp::less_equal, {integer_constant(body, 0), x[1]})});
    return body.apply(LoopOp::select, {within, moved, integer_constant(body, 0)});
  });
}

IntegerLoop describe_bitwise_and(const LoopContext& context, std::size_t) {
  return pointwise_loop(context, [](LoopBody& body, IntegerValues x) {
    return body.apply(LoopOp::bit_and, {x[0], x[1]});
  });
}

/// Bits of either are the sum less those of both, once or twice.
template <int times>
IntegerLoop describe_bitwise_sum(const LoopContext& context, std::size_t) {
  return pointwise_loop(context, [](LoopBody& body, IntegerValues x) {
    LoopValue sum = body.add(x[0], x[1]);
    const LoopValue common = body.apply(LoopOp::bit_and, {x[0], x[1]});
    for (int i = 0; i < times; ++i) sum = body.subtract(sum, common);
    return sum;
  });
}

IntegerLoop describe_bitwise_not(const LoopContext& context, std::size_t) {
  return pointwise_loop(
      context, [](LoopBody& body, IntegerValues x) { return body.subtract(integer_constant(body, -1), x[0]); });
}

/// A loop over the first input, with scale and zero point for all, or one for each index of an axis; nothing where they
/// belong to blocks.
IntegerLoop scaled_loop(const LoopContext& context) {
  OperatorLoop loop{.space = context.dims(0), .inputs = {0}};
  loop.writes = strides_of(loop.space);
  loop.reads = {{.strides = loop.writes}};
  for (std::size_t i = 1; i < context.input_count(); ++i) {
    if (!context.has_input(i)) continue;
    Dims strides(loop.space.size(), 0);
    if (element_count(context.dims(i)) != 1) {
      const std::size_t axis = normalize_axis(context, context.integer("axis"), loop.space.size());
      if (context.dims(i).size() != 1 || context.dims(i)[0] != loop.space[axis]) return std::nullopt;
      strides[axis] = 1;
    }
    loop.inputs.push_back(i);
    loop.reads.push_back({.strides = strides});
  }
  return loop;
}

IntegerLoop describe_quantize(const LoopContext& context, std::size_t) {
  const ElementType to = context.output_element(0);
  if (context.element(0) != ElementType::float32 || context.element(1) != ElementType::float32) return std::nullopt;
  if (!is_integer(to) || bit_width(to) > 16 || context.has_attribute("precision")) return std::nullopt;
  IntegerLoop loop = scaled_loop(context);
  if (!loop) return loop;
  const double codes = std::exp2(bit_width(to)), low = is_signed_integer(to) ? -codes / 2 : 0;
  loop->body = [low, high = low + codes - 1](LoopBody& body, IntegerValues x) {
    LoopValue code = body.apply(LoopOp::round, {body.divide(x[0], x[1])});
    if (x.size() > 2) code = body.add(code, body.as(LoopType::real, x[2]));
    code = body.apply(LoopOp::minimum, {body.apply(LoopOp::maximum, {code, body.real(low)}), body.real(high)});
    return body.as(LoopType::integer, code);
  };
  return loop;
}

IntegerLoop describe_dequantize(const LoopContext& context, std::size_t) {
  if (context.output_element(0) != ElementType::float32 || !is_integer(context.element(0))) return std::nullopt;
  IntegerLoop loop = scaled_loop(context);
  if (!loop) return loop;
  loop->body = [](LoopBody& body, IntegerValues x) {
    const LoopValue code = x.size() > 2 ? body.subtract(x[0], x[2]) : x[0];
    return body.multiply(body.as(LoopType::real, code), x[1]);
  };
  return loop;
}

const LoopFamily integer_loops({
    {"BitShift", describe_bit_shift},
    {"BitwiseAnd", describe_bitwise_and},
    {"BitwiseOr", describe_bitwise_sum<1>},
    {"BitwiseXor", describe_bitwise_sum<2>},
    {"BitwiseNot", describe_bitwise_not},
    {"QuantizeLinear", describe_quantize},
    {"DequantizeLinear", describe_dequantize},
});

}  // namespace
}  // namespace hone
