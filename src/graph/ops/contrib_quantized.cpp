#include <algorithm>
#include <cmath>

#include "graph/ops/as_operator.h"
#include "graph/ops/axes.h"
#include "graph/ops/copy.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/family.h"
#include "graph/ops/quantized.h"
#include "graph/ops/real_array.h"
#include "graph/ops/tensor_pieces.h"

// Quantised operators of ONNX Runtime (domain com.microsoft): what the plain operator does to the numbers the integers
// stand for, rounded to integers again.

namespace hone {
namespace {

/// Where a quantised operand's parts stand among the inputs.
struct QuantizedInput {
  std::size_t tensor = 0;
  std::size_t scale = 1;
  std::size_t zero_point = 2;
};

/// The numbers a tensor of integers stands for. Scale and zero point broadcast; a missing zero point is 0.
RealArray dequantized(const EvaluateContext& context, const QuantizedInput& at) {
  RealArray numbers = RealArray::of(context.tensor(at.tensor));
  if (context.has_input(at.zero_point)) {
    RealArray zero_point = RealArray::of(context.tensor(at.zero_point));
    for (double& value : zero_point.values) value = -value;
    add(context, numbers, zero_point);
  }
  const RealArray scale = RealArray::of(context.tensor(at.scale));
  if (!(broadcast(context, numbers.dims, scale.dims) == numbers.dims)) context.fail("a scale has the wrong shape");
  const Dims strides = broadcast_strides(scale.dims, numbers.dims);
  for (StridedWalk walk(numbers.dims, {&strides}); !walk.done(); walk.next())
    numbers.values[walk.position()] *= scale.values[walk.offset(0)];
  return numbers;
}

/// Output 0: the numbers as integers with one scale and zero point.
void output_quantized(EvaluateContext& context, const RealArray& numbers, std::size_t scale_input,
                      std::size_t zero_input) {
  if (context.tensor(scale_input).count() != 1) context.fail("the output's scale is not one number");
  const bool has_zero_point = context.has_input(zero_input) && context.tensor(zero_input).count() == 1;
  const double scale = context.tensor(scale_input).number_at(0);
  const double zero_point = has_zero_point ? context.tensor(zero_input).number_at(0) : 0;
  const ElementType type = has_zero_point ? context.tensor(zero_input).type() : context.tensor(0).type();
  RealArray result(numbers.dims);
  for (std::size_t i = 0; i < result.count(); ++i)
    result.values[i] = quantized(numbers.values[i] / scale, zero_point, type);
  context.output(0, result.rounded(type));
}

// Pointwise ----------------------------------------------------------------------------------------------------------

constexpr QuantizedInput kLeft = {0, 1, 2}, kRight = {3, 4, 5};

void infer_binary(InferContext& context) {
  if (context.shape(0) == nullptr || context.shape(3) == nullptr) return context.output(0, context.element(0));
  context.output(0, context.element(0), broadcast(context, *context.shape(0), *context.shape(3)));
}

template <double (*kFunction)(double, double)>
void evaluate_binary(EvaluateContext& context) {
  const RealArray a = dequantized(context, kLeft), b = dequantized(context, kRight);
  RealArray result(broadcast(context, a.dims, b.dims));
  const Dims a_strides = broadcast_strides(a.dims, result.dims), b_strides = broadcast_strides(b.dims, result.dims);
  for (StridedWalk walk(result.dims, {&a_strides, &b_strides}); !walk.done(); walk.next())
    result.values[walk.position()] = kFunction(a.values[walk.offset(0)], b.values[walk.offset(1)]);
  output_quantized(context, result, 6, 7);
}

double sum(double a, double b) { return a + b; }
double multiplied(double a, double b) { return a * b; }

void evaluate_quantized_sigmoid(EvaluateContext& context) {
  RealArray numbers = dequantized(context, kLeft);
  for (double& value : numbers.values) value = 1 / (1 + std::exp(-value));
  output_quantized(context, numbers, 3, 4);
}

void evaluate_quantized_leaky_relu(EvaluateContext& context) {
  const double alpha = context.number("alpha");
  RealArray numbers = dequantized(context, kLeft);
  for (double& value : numbers.values) value = value < 0 ? alpha * value : value;
  output_quantized(context, numbers, 3, 4);
}

// QLinearConcat: output scale, output zero point, then tensor, scale and zero point of every part
// -------------------------

constexpr std::size_t kFirstPart = 2;

std::size_t part_count(const NodeReader& node) {
  const std::size_t given = node.input_count() < kFirstPart ? 0 : node.input_count() - kFirstPart;
  if (given == 0 || given % 3 != 0) node.fail("{} inputs are no tensors with scale and zero point", given);
  return given / 3;
}

void infer_quantized_concat(InferContext& context) {
  std::vector<InferContext::Fact> parts;
  for (std::size_t i = 0; i < part_count(context); ++i)
    parts.push_back({.type = context.type(kFirstPart + 3 * i), .contents = {}});
  Type type = parts[0].type;
  for (const InferContext::Fact& part : parts)
    if (!part.type.ranked) return context.output(0, context.element(kFirstPart));
  const std::size_t axis = normalize_axis(context, context.integer("axis"), type.shape.size());
  type.shape[axis] = 0;
  for (const InferContext::Fact& part : parts) {
    if (part.type.shape.size() != type.shape.size()) context.fail("the parts have different ranks");
    type.shape[axis] = type.shape[axis] + part.type.shape[axis];
  }
  context.output(0, std::move(type));
}

void evaluate_quantized_concat(EvaluateContext& context) {
  std::vector<Tensor> parts;
  for (std::size_t i = 0; i < part_count(context); ++i) {
    const std::size_t at = kFirstPart + 3 * i;
    parts.push_back(dequantized(context, {at, at + 1, at + 2}).rounded(ElementType::float64));
  }
  const std::size_t axis = normalize_axis(context, context.integer("axis"), parts[0].rank());
  output_quantized(context, RealArray::of(join_along(context, parts, axis)), 0, 1);
}

// Pooling and softmax: the plain operator between reading and rounding
// ------------------------------------------------------

/// Axes of a tensor with its channels moved from the back to axis 1, or the other way round.
std::vector<std::size_t> channel_axes(std::size_t rank, std::size_t from, std::size_t to) {
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < rank; ++i)
    if (i != from) axes.push_back(i);
  axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(to), from);
  return axes;
}

bool channels_last(const NodeReader& node, std::size_t rank) { return rank > 2 && node.integer("channels_last") != 0; }

Shape permuted_shape(const Shape& shape, std::span<const std::size_t> axes) {
  Shape result;
  for (const std::size_t axis : axes) result.push_back(shape[axis]);
  return result;
}

template <const StandardOp& kPlain>
void infer_quantized_pool(InferContext& context) {
  auto facts = input_facts(context);
  const std::size_t rank = context.shape(0) != nullptr ? context.shape(0)->size() : 0;
  const bool moves = channels_last(context, rank);
  if (moves) facts[0].type.shape = permuted_shape(facts[0].type.shape, channel_axes(rank, rank - 1, 1));
  Type type = infer_as(context, kPlain, facts)[0].type;
  if (moves && type.ranked) type.shape = permuted_shape(type.shape, channel_axes(rank, 1, rank - 1));
  context.output(0, std::move(type));
}

template <const StandardOp& kPlain>
void evaluate_pool(EvaluateContext& context) {
  Tensor numbers = dequantized(context, kLeft).rounded(ElementType::float32);
  const std::size_t rank = numbers.rank();
  const bool moves = channels_last(context, rank);
  if (moves) numbers = permuted(numbers, channel_axes(rank, rank - 1, 1));
  const Datum input(numbers);
  Tensor result = tensor_as(context, kPlain, std::span(&input, 1));
  if (moves) result = permuted(result, channel_axes(rank, 1, rank - 1));
  output_quantized(context, RealArray::of(result), 3, 4);
}

constexpr StandardOp kAveragePool = {.name = "AveragePool", .opset = 11};
constexpr StandardOp kGlobalAveragePool = {.name = "GlobalAveragePool", .opset = 1};

void evaluate_quantized_softmax(EvaluateContext& context) {
  const Datum input(dequantized(context, kLeft).rounded(ElementType::float32));
  const std::int64_t opset = context.integer("opset");
  const StandardOp softmax = {.name = "Softmax", .opset = opset < 13 ? 11 : 13};
  output_quantized(context, RealArray::of(tensor_as(context, softmax, std::span(&input, 1))), 3, 4);
}

// Products
// -----------------------------------------------------------------------------------------------------------------

constexpr StandardOp kDequantizedMatMul = {.name = "MatMul", .opset = 13};

void infer_quantized_product(InferContext& context, ElementType element) {
  Type type = infer_as(context, kDequantizedMatMul, input_facts(context))[0].type;
  type.element = element;
  context.output(0, std::move(type));
}

/// Output 0: product of two arrays plus the bias input, if there is one.
void output_product(EvaluateContext& context, const RealArray& a, const RealArray& b, std::size_t bias_input,
                    ElementType type) {
  const Datum factors[] = {a.rounded(ElementType::float64), b.rounded(ElementType::float64)};
  RealArray result = RealArray::of(tensor_as(context, kDequantizedMatMul, factors));
  if (context.has_input(bias_input)) add(context, result, RealArray::of(context.tensor(bias_input)));
  context.output(0, result.rounded(type));
}

double quantized_product_flops(const CostContext& context) {
  return 2 * context.output_elements(0) * context.input_dim(0, -1);
}

/// DynamicQuantizeMatMul: A (float), B (integers), B's scale, B's zero point, bias.
void infer_dynamic_product(InferContext& context) { infer_quantized_product(context, context.element(0)); }

/// The numbers as 8-bit integers over their own range would have them.
void round_to_own_range(RealArray& numbers) {
  float low = 0, high = 0;
  for (const double value : numbers.values) {
    low = std::min(low, static_cast<float>(value));
    high = std::max(high, static_cast<float>(value));
  }
  const float scale = high == low ? 1.0f : (high - low) / 255;
  const double zero_point = std::clamp(std::nearbyint(-low / scale), 0.0f, 255.0f);
  for (double& value : numbers.values)
    value = (quantized(static_cast<float>(value) / scale, zero_point, ElementType::uint8) - zero_point) * scale;
}

void evaluate_dynamic_product(EvaluateContext& context) {
  RealArray a = RealArray::of(context.tensor(0));
  round_to_own_range(a);
  output_product(context, a, dequantized(context, {1, 2, 3}), 4, context.tensor(0).type());
}

/// MatMulIntegerToFloat: A, B, A's scale, B's scale, A's zero point, B's zero point, bias.
void infer_integer_product(InferContext& context) { infer_quantized_product(context, context.element(2)); }

void evaluate_integer_product(EvaluateContext& context) {
  output_product(context, dequantized(context, {0, 2, 4}), dequantized(context, {1, 3, 5}), 6,
                 context.tensor(2).type());
}

// clang-format off
const OpFamily contrib_quantized_family({
    {.name = "QLinearAdd", .domain = kContribDomain, .versions = {1}, .inputs = {7, 8}, .kind = OpKind::pointwise,
     .infer = infer_binary, .evaluate = evaluate_binary<sum>},
    {.name = "QLinearMul", .domain = kContribDomain, .versions = {1}, .inputs = {7, 8}, .kind = OpKind::pointwise,
     .infer = infer_binary, .evaluate = evaluate_binary<multiplied>},
    {.name = "QLinearSigmoid", .domain = kContribDomain, .versions = {1}, .inputs = {4, 5}, .kind = OpKind::pointwise,
     .infer = infer_like_first, .evaluate = evaluate_quantized_sigmoid},
    {.name = "QLinearLeakyRelu", .domain = kContribDomain, .versions = {1}, .inputs = {4, 5}, .attributes = {number("alpha", 0.01f)},
     .kind = OpKind::pointwise, .infer = infer_like_first, .evaluate = evaluate_quantized_leaky_relu},
    {.name = "QLinearConcat", .domain = kContribDomain, .versions = {1}, .inputs = {5, kMany}, .attributes = {integer("axis")},
     .kind = OpKind::movement, .infer = infer_quantized_concat, .evaluate = evaluate_quantized_concat},
    {.name = "QLinearAveragePool", .domain = kContribDomain, .versions = {1}, .inputs = {4, 5},
     .attributes = {text("auto_pad", "NOTSET"), integer("ceil_mode", 0), integer("channels_last", 0),
                    integer("count_include_pad", 0), integers("kernel_shape"), integers("pads"), integers("strides")},
     .kind = OpKind::reduction, .infer = infer_quantized_pool<kAveragePool>, .evaluate = evaluate_pool<kAveragePool>},
    {.name = "QLinearGlobalAveragePool", .domain = kContribDomain, .versions = {1}, .inputs = {4, 5},
     .attributes = {integer("channels_last", 0)}, .kind = OpKind::reduction,
     .infer = infer_quantized_pool<kGlobalAveragePool>, .evaluate = evaluate_pool<kGlobalAveragePool>},
    {.name = "QLinearSoftmax", .domain = kContribDomain, .versions = {1}, .inputs = {5, 5},
     .attributes = {integer("axis", -1), integer("opset")}, .kind = OpKind::reduction,
     .infer = infer_like_first, .evaluate = evaluate_quantized_softmax},
    {.name = "DynamicQuantizeMatMul", .domain = kContribDomain, .versions = {1}, .inputs = {3, 5}, .kind = OpKind::contraction,
     .infer = infer_dynamic_product, .evaluate = evaluate_dynamic_product, .flops = quantized_product_flops},
    {.name = "MatMulIntegerToFloat", .domain = kContribDomain, .versions = {1}, .inputs = {4, 7}, .kind = OpKind::contraction,
     .infer = infer_integer_product, .evaluate = evaluate_integer_product, .flops = quantized_product_flops},
});
// clang-format on

}  // namespace
}  // namespace hone
