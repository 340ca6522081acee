#include <algorithm>
#include <array>
#include <cmath>

#include "graph/ops/convert.h"
#include "graph/ops/family.h"
#include "graph/ops/pointwise.h"

// Conversions between real numbers and their quantized form: quantized = real / scale + zero point.

namespace hone {
namespace {

/// The scales and zero points of a tensor, and which of them belongs to which element: one for all, one for each index
/// of an axis, or one for each block of indices of an axis.
class Scales {
 public:
  Scales(const EvaluateContext& context, const Tensor& x)
      : scales_(numbers_of(context.tensor(1))),
        zeros_(context.has_input(2) ? numbers_of(context.tensor(2)) : std::vector<double>(scales_.size(), 0)) {
    if (scales_.size() != zeros_.size())
      context.fail("{} scales do not fit {} zero points", scales_.size(), zeros_.size());
    const Tensor& scale = context.tensor(1);
    if (scale.count() == 1) return;
    const std::size_t axis = normalize_axis(context, context.integer("axis"), x.rank());
    const std::int64_t block = has_blocks(context) ? context.integer("block_size") : 0;
    if (block < 0) context.fail("block_size is {}", block);
    for (std::size_t i = axis + 1; i < x.rank(); ++i) inner_ *= static_cast<std::size_t>(x.dim(i));
    length_ = static_cast<std::size_t>(x.dim(axis));
    if (block > 0) set_blocks(context, axis, static_cast<std::size_t>(block));
    else if (scale.rank() == 1 && scale.dim(0) == x.dim(axis)) block_step_ = 1;
    else context.fail("scales of shape {} do not fit axis {} of {}", text_of(scale.shape()), axis, text_of(x.shape()));
  }

  /// Number of the scale of an element.
  std::size_t index(std::size_t element) const {
    const std::size_t along = element / inner_;
    return along / length_ * outer_step_ + along % length_ / block_ * block_step_ + element % inner_ * inner_step_;
  }
  double scale(std::size_t index) const { return scales_[index]; }
  double zero(std::size_t index) const { return zeros_[index]; }

 private:
  static bool has_blocks(const NodeReader& node) {
    return std::ranges::any_of(node.entry().attributes, [&](const AttributeSpec& spec) {
      return spec.name == "block_size" && spec.first <= node.version();
    });
  }

  void set_blocks(const EvaluateContext& context, std::size_t axis, std::size_t block) {
    const Tensor &x = context.tensor(0), &scale = context.tensor(1);
    const std::size_t blocks = length_ / block + (length_ % block != 0 ? 1 : 0);
    Dims wanted = x.dims();
    wanted[axis] = static_cast<std::int64_t>(blocks);
    if (!(scale.dims() == wanted))
      context.fail("scales of shape {} do not fit blocks of {} along axis {} of {}", text_of(scale.shape()), block,
                   axis, text_of(x.shape()));
    block_ = block;
    outer_step_ = blocks * inner_;
    block_step_ = inner_;
    inner_step_ = 1;
  }

  std::vector<double> scales_;
  std::vector<double> zeros_;
  // The tensor has the dims [outer, length, inner]; how far the scale's number moves along each.
  std::size_t length_ = 1, inner_ = 1;
  std::size_t block_ = 1;
  std::size_t outer_step_ = 0, block_step_ = 0, inner_step_ = 0;
};

/// Fills y with function(x, scale, zero point), element by element.
template <class Function>
void apply_scales(const Tensor& x, Tensor& y, const Scales& scales, NarrowRounding rounding, Function function) {
  std::array<double, 256> buffer;
  for (std::size_t first = 0; first < x.count(); first += buffer.size()) {
    const std::span<double> piece(buffer.data(), std::min(buffer.size(), x.count() - first));
    read_numbers(x, first, piece);
    for (std::size_t i = 0; i < piece.size(); ++i) {
      const std::size_t k = scales.index(first + i);
      piece[i] = function(piece[i], scales.scale(k), scales.zero(k));
    }
    write_numbers(y, first, piece, rounding);
  }
}

/// Smallest and largest number of an integer type of up to 32 bits.
struct NumberRange {
  double low, high;
};

NumberRange range_of(ElementType type) {
  const double codes = std::ldexp(1.0, bit_width(type));
  return is_signed_integer(type) ? NumberRange{-codes / 2, codes / 2 - 1} : NumberRange{0, codes - 1};
}

/// The type `output_dtype` names, or undefined when the node leaves it open.
ElementType wanted_element(const NodeReader& node, int since) {
  const bool asked = node.version() >= since && node.has_attribute("output_dtype");
  return asked && node.integer("output_dtype") != 0 ? element_type_attribute(node, "output_dtype")
                                                    : ElementType::undefined;
}

ElementType quantized_element(const NodeReader& node, ElementType zero_point) {
  if (node.has_input(2)) return zero_point;
  const ElementType wanted = wanted_element(node, 21);
  return wanted != ElementType::undefined ? wanted : ElementType::uint8;
}

/// The type in which a real number is divided by its scale.
ElementType division_type(const EvaluateContext& context) {
  const bool asked = context.version() >= 23 && context.has_attribute("precision") && context.integer("precision") != 0;
  const ElementType type = asked ? element_type_attribute(context, "precision") : context.tensor(1).type();
  return is_floating(type) && bit_width(type) >= 16 ? type : ElementType::float32;
}

NarrowRounding overflow_rounding(const NodeReader& node) {
  const bool saturate = node.version() < 19 || node.integer("saturate") != 0;
  return {.overflow = saturate ? NarrowRounding::Overflow::saturate : NarrowRounding::Overflow::special};
}

void evaluate_quantize(EvaluateContext& context) {
  const Tensor& x = context.tensor(0);
  const ElementType type =
      quantized_element(context, context.has_input(2) ? context.tensor(2).type() : ElementType::undefined);
  if (!is_floating(type) && !(is_integer(type) && bit_width(type) <= 32))
    context.fail("cannot quantize to {}", name_of(type));
  const Scales scales(context, x);
  const NumberRange range = is_integer(type) ? range_of(type) : NumberRange{-HUGE_VAL, HUGE_VAL};
  const bool whole = is_integer(type);
  Tensor y = Tensor::zeros(type, x.dims());
  dispatch(context, division_type(context), FloatTypes{}, [&](auto sample) {
    using T = decltype(sample);
    apply_scales(x, y, scales, overflow_rounding(context), [&](double value, double scale, double zero) {
      const auto quotient = static_cast<double>(convert<T>(value / scale));
      return whole ? std::clamp(std::nearbyint(quotient) + zero, range.low, range.high) : quotient + zero;
    });
  });
  context.output(0, std::move(y));
}

ElementType real_element(const NodeReader& node, ElementType scale) {
  const ElementType wanted = wanted_element(node, 23);
  return wanted != ElementType::undefined ? wanted : scale;
}

void evaluate_dequantize(EvaluateContext& context) {
  const Tensor& x = context.tensor(0);
  const Scales scales(context, x);
  Tensor y = Tensor::zeros(real_element(context, context.tensor(1).type()), x.dims());
  apply_scales(x, y, scales, {}, [](double value, double scale, double zero) { return (value - zero) * scale; });
  context.output(0, std::move(y));
}

void infer_quantize(InferContext& context) {
  infer_like_input(context, quantized_element(context, context.element(2)));
}
void infer_dequantize(InferContext& context) { infer_like_input(context, real_element(context, context.element(1))); }

void infer_dynamic_quantize(InferContext& context) {
  infer_like_input(context, ElementType::uint8);
  context.output(1, ElementType::float32, Shape{});
  context.output(2, ElementType::uint8, Shape{});
}

/// Spreads the range of the data, zero included, over the 256 codes.
void evaluate_dynamic_quantize(EvaluateContext& context) {
  const Tensor& x = context.tensor(0);
  float low = 0, high = 0;
  for (const float value : x.values<float>()) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const float scale = (high - low) / 255;
  const auto code = [scale](float value, float zero) {
    const float steps = scale == 0 ? 0 : std::nearbyint(value / scale);
    return convert<std::uint8_t>(std::clamp(steps + zero, 0.0f, 255.0f));
  };
  const std::uint8_t zero = code(-low, 0);
  context.output(0, Pointwise<std::uint8_t(float)>::apply(
                        context, [&](float value) { return code(value, zero); }, x));
  context.output(1, Tensor::scalar(scale));
  context.output(2, Tensor::scalar(zero));
}

// clang-format off
const OpFamily quantize_family({
    {.name = "QuantizeLinear", .versions = {10, 13, 19, 21, 23, 24, 25}, .inputs = {2, 3},
     .attributes = {integer("axis", 1).since(13), integer("saturate", 1).since(19), integer("block_size", 0).since(21),
                    integer("output_dtype", 0).since(21), integer("precision", 0).since(23)},
     .kind = OpKind::pointwise, .infer = infer_quantize, .evaluate = evaluate_quantize},
    {.name = "DequantizeLinear", .versions = {10, 13, 19, 21, 23, 24, 25}, .inputs = {2, 3},
     .attributes = {integer("axis", 1).since(13), integer("block_size", 0).since(21), integer("output_dtype", 0).since(23)},
     .kind = OpKind::pointwise, .infer = infer_dequantize, .evaluate = evaluate_dequantize},
    {.name = "QuantizeLinear", .domain = "com.microsoft", .versions = {1}, .inputs = {2, 3},
     .attributes = {integer("axis", 1), integer("block_size", 0)},
     .kind = OpKind::pointwise, .infer = infer_quantize, .evaluate = evaluate_quantize},
    {.name = "DequantizeLinear", .domain = "com.microsoft", .versions = {1}, .inputs = {2, 3},
     .attributes = {integer("axis", 1), integer("block_size", 0)},
     .kind = OpKind::pointwise, .infer = infer_dequantize, .evaluate = evaluate_dequantize},
    // The scale depends on all elements, so this is no pointwise operator.
    {.name = "DynamicQuantizeLinear", .versions = {11}, .outputs = {3, 3},
     .kind = OpKind::reduction, .infer = infer_dynamic_quantize, .evaluate = evaluate_dynamic_quantize},
});
// clang-format on

}  // namespace
}  // namespace hone
