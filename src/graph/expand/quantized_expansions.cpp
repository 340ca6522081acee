#include <array>

#include "graph/expand/expansion.h"

// Products of integers with a scale, in the integers that they are defined in.

namespace hone {
namespace {

/// An input less its zero point, one for all or one for each index of an axis of the result.
ValueId centered_input(Expansion& expansion, std::size_t slot, std::size_t zero, std::size_t axis) {
  const ValueId x = expansion.cast(expansion.input(slot), ElementType::int32);
  if (!expansion.has_input(zero)) return x;
  ValueId point = expansion.cast(expansion.input(zero), ElementType::int32);
  const Dims dims = expansion.dims(zero);
  if (dims.size() == 1 && dims[0] != 1) {
    Dims along(expansion.dims(slot).size(), 1);
    along[axis] = dims[0];
    point = expansion.reshaped(point, along);
  }
  return expansion.add("Sub", {x, point});
}

/// Rows of the first, columns of the second.
ValueId integer_product(Expansion& expansion, const std::array<std::size_t, 4>& slots) {
  const auto [a, a_zero, b, b_zero] = slots;
  const std::size_t a_rank = expansion.dims(a).size(), b_rank = expansion.dims(b).size();
  const ValueId left = centered_input(expansion, a, a_zero, a_rank < 2 ? 0 : a_rank - 2);
  const ValueId right = centered_input(expansion, b, b_zero, b_rank - 1);
  return expansion.add("MatMul", {left, right});
}

bool expand_integer_product(Expansion& expansion) {
  if (expansion.dims(0).empty() || expansion.dims(1).empty()) return false;
  expansion.become(0, integer_product(expansion, {0, 2, 1, 3}));
  return true;
}

Attributes window_attributes(const Expansion& expansion) {
  Attributes attributes;
  for (const Attribute& attribute : *expansion.node().attributes) attributes.push_back(attribute);
  return attributes;
}

bool expand_integer_convolution(Expansion& expansion) {
  const ValueId x = centered_input(expansion, 0, 2, 1), weights = centered_input(expansion, 1, 3, 0);
  expansion.become(0, expansion.add("Conv", {x, weights}, window_attributes(expansion)));
  return true;
}

/// Scales of both sides over that of the result, rounded to codes from the result's zero point on; in doubles, so that
/// halves are halves.
ValueId requantized(Expansion& expansion, ValueId sum, const std::array<std::size_t, 4>& slots, std::size_t channel) {
  const auto [a_scale, b_scale, y_scale, y_zero] = slots;
  const auto wide = [&](std::size_t slot) {
    ValueId scale = expansion.cast(expansion.input(slot), ElementType::float64);
    const Dims dims = expansion.dims(slot);
    if (dims.size() != 1 || dims[0] == 1 || channel == 0) return scale;
    Dims along(channel, 1);
    along[0] = dims[0];
    return expansion.reshaped(scale, along);
  };
  const auto number = [&](double value) { return expansion.add(Tensor::scalar<double>(value)); };
  const ValueId factor = expansion.add("Div", {expansion.add("Mul", {wide(a_scale), wide(b_scale)}), wide(y_scale)});
  ValueId code = expansion.add("Mul", {expansion.cast(sum, ElementType::float64), factor});
  code = expansion.add("Round", {code});
  code = expansion.add("Add", {code, expansion.cast(expansion.input(y_zero), ElementType::float64)});
  const bool is_signed = expansion.element(y_zero) == ElementType::int8;
  code = expansion.add("Clip", {code, number(is_signed ? -128 : 0), number(is_signed ? 127 : 255)});
  return expansion.cast(code, expansion.element(y_zero));
}

bool expand_quantized_product(Expansion& expansion) {
  if (expansion.opset() < 12) return false;
  for (const std::size_t slot : {1, 4, 6})
    if (element_count(expansion.dims(slot)) != 1) return false;
  const ValueId sum = integer_product(expansion, {0, 2, 3, 5});
  expansion.become(0, requantized(expansion, sum, {1, 4, 6, 7}, 0));
  return true;
}

/// x, its scale and zero point, weights, theirs, the result's, and a bias in the integers of sums.
bool expand_quantized_convolution(Expansion& expansion) {
  if (expansion.opset() < 12) return false;
  const std::size_t rank = expansion.dims(0).size();
  const ValueId x = centered_input(expansion, 0, 2, 1), weights = centered_input(expansion, 3, 5, 0);
  std::vector<ValueId> inputs{x, weights};
  if (expansion.has_input(8)) inputs.push_back(expansion.input(8));
  const ValueId sum = expansion.add("Conv", inputs, window_attributes(expansion));
  expansion.become(0, requantized(expansion, sum, {1, 4, 6, 7}, rank - 1));
  return true;
}

/// The range of the input with 0 in it, cut into 255 steps.
bool expand_dynamic_quantization(Expansion& expansion) {
  if (expansion.opset() < 12 || element_count(expansion.dims(0)) == 0) return false;
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i < expansion.dims(0).size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  const ValueId x = expansion.input(0), none = expansion.like(0, 0), most = expansion.like(0, 255);
  const ValueId top = expansion.add("Max", {expansion.reshaped(expansion.reduced("ReduceMax", x, axes), {}), none});
  const ValueId low = expansion.add("Min", {expansion.reshaped(expansion.reduced("ReduceMin", x, axes), {}), none});
  const ValueId scale = expansion.add("Div", {expansion.add("Sub", {top, low}), most});
  const ValueId start = expansion.add("Neg", {expansion.add("Div", {low, scale})});
  const ValueId zero =
      expansion.cast(expansion.add("Round", {expansion.add("Clip", {start, none, most})}), ElementType::uint8);
  expansion.become(0, expansion.add("QuantizeLinear", {x, scale, zero}));
  expansion.become(1, scale);
  expansion.become(2, zero);
  return true;
}

const ExpansionFamily quantized_expansions({
    {"MatMulInteger", expand_integer_product},
    {"ConvInteger", expand_integer_convolution},
    {"QLinearMatMul", expand_quantized_product},
    {"QLinearConv", expand_quantized_convolution},
    {"DynamicQuantizeLinear", expand_dynamic_quantization},
});

}  // namespace
}  // namespace hone
