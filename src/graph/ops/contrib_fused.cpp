#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "graph/ops/as_operator.h"
#include "graph/ops/axes.h"
#include "graph/ops/copy.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/family.h"
#include "graph/ops/real_array.h"

// Products, convolutions and activations that ONNX Runtime's optimiser fuses (domain com.microsoft).

namespace hone {
namespace {

constexpr StandardOp kMatMul = {.name = "MatMul", .opset = 13};
constexpr StandardOp kGemm = {.name = "Gemm", .opset = 13};
constexpr StandardOp kConv = {.name = "Conv", .opset = 11};

// FusedMatMul: transposes its factors, multiplies, scales
// --------------------------------------------------------------

/// Attributes that say how one factor is transposed.
struct FactorAttributes {
  std::string_view matrix;
  std::string_view batch;
};
constexpr FactorAttributes kFactors[] = {{"transA", "transBatchA"}, {"transB", "transBatchB"}};

/// Order of a factor's axes before the product: the first axis goes behind the batch axes, then the matrix is
/// transposed.
std::vector<std::size_t> factor_axes(const NodeReader& node, const FactorAttributes& attributes, std::size_t rank) {
  std::vector<std::size_t> axes(rank);
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  if (rank < 2) return axes;
  if (node.integer(attributes.batch) != 0) std::rotate(axes.begin(), axes.begin() + 1, axes.end() - 1);
  if (node.integer(attributes.matrix) != 0) std::swap(axes[rank - 1], axes[rank - 2]);
  return axes;
}

void infer_fused_matmul(InferContext& context) {
  auto facts = input_facts(context);
  for (std::size_t i = 0; i < 2; ++i) {
    if (context.shape(i) == nullptr) continue;
    const auto axes = factor_axes(context, kFactors[i], context.shape(i)->size());
    for (std::size_t k = 0; k < axes.size(); ++k) facts[i].type.shape[k] = (*context.shape(i))[axes[k]];
  }
  context.output(0, infer_as(context, kMatMul, facts)[0].type);
}

void evaluate_fused_matmul(EvaluateContext& context) {
  std::vector<Datum> factors;
  for (std::size_t i = 0; i < 2; ++i)
    factors.emplace_back(permuted(context.tensor(i), factor_axes(context, kFactors[i], context.tensor(i).rank())));
  const Tensor product = tensor_as(context, kMatMul, factors);
  const double alpha = context.number("alpha");
  if (alpha == 1) return context.output(0, product);
  RealArray scaled = RealArray::of(product);
  for (double& value : scaled.values) value *= alpha;
  context.output(0, scaled.rounded(product.type()));
}

double fused_matmul_flops(const CostContext& context) {
  const auto& shape = context.input(0).shape;
  if (shape.empty()) return 0;
  const auto axes = factor_axes(context, kFactors[0], shape.size());
  return 2 * context.output_elements(0) * static_cast<double>(shape[axes.back()].value());
}

// Activations named by an attribute
// ------------------------------------------------------------------------------------

/// An activation function with the parameters its attribute gives.
struct FusedActivation {
  enum class Kind { none, relu, tanh, sigmoid, leaky_relu, clip, hard_sigmoid };

  Kind kind = Kind::none;
  double alpha = 0;
  double beta = 0;

  double operator()(double x) const {
    switch (kind) {
      case Kind::none: return x;
      case Kind::relu: return std::max(x, 0.0);
      case Kind::tanh: return std::tanh(x);
      case Kind::sigmoid: return 1 / (1 + std::exp(-x));
      case Kind::leaky_relu: return x < 0 ? alpha * x : x;
      case Kind::clip: return std::min(std::max(x, alpha), beta);
      case Kind::hard_sigmoid: return std::clamp(alpha * x + beta, 0.0, 1.0);
    }
    return x;
  }
};

FusedActivation activation_named(const NodeReader& node, const std::string& name, std::span<const float> parameters) {
  static constexpr std::pair<std::string_view, FusedActivation::Kind> kKinds[] = {
      {"", FusedActivation::Kind::none},
      {"Relu", FusedActivation::Kind::relu},
      {"Tanh", FusedActivation::Kind::tanh},
      {"Sigmoid", FusedActivation::Kind::sigmoid},
      {"Clip", FusedActivation::Kind::clip},
      {"LeakyRelu", FusedActivation::Kind::leaky_relu},
      {"HardSigmoid", FusedActivation::Kind::hard_sigmoid},
  };
  const auto found = std::ranges::find(kKinds, name, &std::pair<std::string_view, FusedActivation::Kind>::first);
  if (found == std::end(kKinds)) node.fail("activation '{}' is not known", name);
  FusedActivation activation{.kind = found->second};
  if (activation.kind == FusedActivation::Kind::leaky_relu) activation.alpha = 0.01;
  if (activation.kind == FusedActivation::Kind::hard_sigmoid)
    activation = {.kind = activation.kind, .alpha = 0.2, .beta = 0.5};
  if (!parameters.empty()) activation.alpha = parameters[0];
  if (parameters.size() > 1) activation.beta = parameters[1];
  return activation;
}

std::string activation_name(const NodeReader& node) {
  return node.has_attribute("activation") ? node.text("activation") : std::string();
}

/// Output 0 = activation(numbers), as elements of `type`.
void output_activated(EvaluateContext& context, RealArray numbers, const FusedActivation& activation,
                      ElementType type) {
  for (double& value : numbers.values) value = activation(value);
  context.output(0, numbers.rounded(type));
}

std::vector<Datum> first_inputs(const EvaluateContext& context, std::size_t count) {
  std::vector<Datum> inputs;
  for (std::size_t i = 0; i < std::min(count, context.input_count()); ++i) inputs.push_back(context.input(i));
  return inputs;
}

void infer_fused_gemm(InferContext& context) { adopt_inference(context, kGemm); }

void evaluate_fused_gemm(EvaluateContext& context) {
  const Tensor result = tensor_as(context, kGemm, first_inputs(context, 3));
  std::vector<float> parameters;
  for (const std::string_view name : {"activation_alpha", "activation_beta"})
    if (context.has_attribute(name)) parameters.push_back(context.number(name));
  output_activated(context, RealArray::of(result), activation_named(context, activation_name(context), parameters),
                   result.type());
}

double fused_gemm_flops(const CostContext& context) {
  const double inner = context.input_dim(0, context.integer("transA") != 0 ? 0 : 1);
  return 2 * context.output_elements(0) * inner;
}

/// FusedConv adds input 3, when there is one, before the activation.
void infer_fused_conv(InferContext& context) { adopt_inference(context, kConv); }

void evaluate_fused_conv(EvaluateContext& context) {
  const Tensor result = tensor_as(context, kConv, first_inputs(context, 3));
  RealArray numbers = RealArray::of(result);
  if (context.has_input(3)) add(context, numbers, RealArray::of(context.tensor(3)));
  const FusedActivation activation =
      activation_named(context, activation_name(context), context.numbers("activation_params"));
  output_activated(context, std::move(numbers), activation, result.type());
}

double fused_conv_flops(const CostContext& context) {
  const double filters = context.input_dim(1, 0);
  return filters > 0 ? 2 * context.output_elements(0) * context.input_elements(1) / filters : 0;
}

// Activations, with or without a bias as input 1
// -----------------------------------------------------------------------

double exact_gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2)); }

double fast_gelu(double x) {
  constexpr double kRootOfTwoOverPi = 0.7978845608028654;
  return 0.5 * x * (1 + std::tanh(kRootOfTwoOverPi * (x + 0.044715 * x * x * x)));
}

/// Input 0 plus the bias.
RealArray biased_input(const EvaluateContext& context) {
  RealArray numbers = RealArray::of(context.tensor(0));
  if (context.has_input(1)) add(context, numbers, RealArray::of(context.tensor(1)));
  return numbers;
}

template <double (*kFunction)(double)>
void evaluate_biased(EvaluateContext& context) {
  RealArray numbers = biased_input(context);
  for (double& value : numbers.values) value = kFunction(value);
  context.output(0, numbers.rounded(context.tensor(0).type()));
}

void evaluate_quick_gelu(EvaluateContext& context) {
  const double alpha = context.number("alpha");
  RealArray numbers = RealArray::of(context.tensor(0));
  for (double& value : numbers.values) value /= 1 + std::exp(-alpha * value);
  context.output(0, numbers.rounded(context.tensor(0).type()));
}

/// Gelu and its kin take about this many operations an element.
double gelu_flops(const CostContext& context) { return 8 * context.output_elements(0); }

/// BiasSplitGelu: the first half of the last axis times gelu of the second.
void infer_split_gelu(InferContext& context) {
  Type type = context.type(0);
  if (type.ranked && type.shape.empty()) context.fail("the input is a scalar");
  if (type.ranked) type.shape.back() = floor_div(type.shape.back(), 2);
  context.output(0, std::move(type));
}

void evaluate_split_gelu(EvaluateContext& context) {
  const RealArray numbers = biased_input(context);
  if (numbers.rank() == 0 || numbers.dims.back() % 2 != 0) context.fail("the last axis has no two halves");
  Dims dims = numbers.dims;
  dims.back() /= 2;
  RealArray result(dims);
  const auto half = static_cast<std::size_t>(dims.back());
  for (std::size_t i = 0; i < result.count(); ++i) {
    const std::size_t left = i / half * 2 * half + i % half;
    result.values[i] = numbers.values[left] * exact_gelu(numbers.values[left + half]);
  }
  context.output(0, result.rounded(context.tensor(0).type()));
}

/// BiasAdd: input, bias, skip.
void evaluate_bias_add(EvaluateContext& context) {
  RealArray numbers = biased_input(context);
  add(context, numbers, RealArray::of(context.tensor(2)));
  context.output(0, numbers.rounded(context.tensor(0).type()));
}

/// BiasSoftmax: softmax of data plus bias over everything from `axis` on.
void evaluate_bias_softmax(EvaluateContext& context) {
  RealArray numbers = biased_input(context);
  const std::size_t axis = numbers.rank() == 0 ? 0 : normalize_axis(context, context.integer("axis"), numbers.rank());
  std::size_t row = 1;
  for (std::size_t i = axis; i < numbers.rank(); ++i) row *= static_cast<std::size_t>(numbers.dim(i));
  for (std::size_t first = 0; first < numbers.count(); first += row)
    softmax(std::span(numbers.values).subspan(first, row));
  context.output(0, numbers.rounded(context.tensor(0).type()));
}

double biased_softmax_flops(const CostContext& context) { return 5 * context.input_elements(0); }

/// BiasDropout: data, bias, residual, ratio, training mode. Without training nothing is dropped.
void infer_bias_dropout(InferContext& context) {
  Type mask = context.type(0);
  context.output(0, mask);
  mask.element = ElementType::boolean;
  context.output(1, mask);
}

void evaluate_bias_dropout(EvaluateContext& context) {
  if (context.has_input(4) && context.tensor(4).count() == 1 && context.tensor(4).integer_at(0) != 0)
    context.fail("dropout in training is not supported");
  RealArray numbers = biased_input(context);
  if (context.has_input(2)) add(context, numbers, RealArray::of(context.tensor(2)));
  context.output(0, numbers.rounded(context.tensor(0).type()));
  Tensor mask = Tensor::zeros(ElementType::boolean, numbers.dims);
  std::ranges::fill(mask.write<bool>(), true);
  context.output(1, std::move(mask));
}

std::vector<AttributeSpec> product_attributes() {
  return {number("alpha", 1.0f), integer("transA", 0), integer("transB", 0), integer("transBatchA", 0),
          integer("transBatchB", 0)};
}

// clang-format off
const OpFamily contrib_fused_family({
    {.name = "FusedMatMul", .domain = kContribDomain, .versions = {1}, .inputs = {2, 2},
     .attributes = product_attributes(),
     .kind = OpKind::contraction, .infer = infer_fused_matmul, .evaluate = evaluate_fused_matmul, .flops = fused_matmul_flops},
    {.name = "TransposeMatMul", .domain = kContribDomain, .versions = {1}, .inputs = {2, 2},
     .attributes = product_attributes(),
     .kind = OpKind::contraction, .infer = infer_fused_matmul, .evaluate = evaluate_fused_matmul, .flops = fused_matmul_flops},
    {.name = "FusedGemm", .domain = kContribDomain, .versions = {1}, .inputs = {2, 3},
     .attributes = {number("alpha", 1.0f), number("beta", 1.0f), integer("transA", 0), integer("transB", 0),
                    text("activation"), number("activation_alpha"), number("activation_beta"), number("activation_gamma")},
     .kind = OpKind::contraction, .infer = infer_fused_gemm, .evaluate = evaluate_fused_gemm, .flops = fused_gemm_flops},
    {.name = "FusedConv", .domain = kContribDomain, .versions = {1}, .inputs = {2, 4},
     .attributes = {text("auto_pad", "NOTSET"), integers("dilations"), integer("group", 1), integers("kernel_shape"),
                    integers("pads"), integers("strides"), text("activation"), numbers("activation_params")},
     .kind = OpKind::contraction, .infer = infer_fused_conv, .evaluate = evaluate_fused_conv, .flops = fused_conv_flops},
    {.name = "Gelu", .domain = kContribDomain, .versions = {1}, .kind = OpKind::pointwise,
     .infer = infer_like_first, .evaluate = evaluate_biased<exact_gelu>, .flops = gelu_flops},
    {.name = "FastGelu", .domain = kContribDomain, .versions = {1}, .inputs = {1, 2}, .kind = OpKind::pointwise,
     .infer = infer_like_first, .evaluate = evaluate_biased<fast_gelu>, .flops = gelu_flops},
    {.name = "BiasGelu", .domain = kContribDomain, .versions = {1}, .inputs = {2, 2}, .kind = OpKind::pointwise,
     .infer = infer_like_first, .evaluate = evaluate_biased<exact_gelu>, .flops = gelu_flops},
    {.name = "QuickGelu", .domain = kContribDomain, .versions = {1}, .attributes = {number("alpha", 1.702f)},
     .kind = OpKind::pointwise, .infer = infer_like_first, .evaluate = evaluate_quick_gelu, .flops = gelu_flops},
    {.name = "BiasSplitGelu", .domain = kContribDomain, .versions = {1}, .inputs = {2, 2}, .kind = OpKind::opaque,
     .infer = infer_split_gelu, .evaluate = evaluate_split_gelu, .flops = gelu_flops},
    {.name = "BiasAdd", .domain = kContribDomain, .versions = {1}, .inputs = {3, 3}, .kind = OpKind::pointwise,
     .infer = infer_like_first, .evaluate = evaluate_bias_add},
    {.name = "BiasSoftmax", .domain = kContribDomain, .versions = {1}, .inputs = {2, 2},
     .attributes = {integer("axis", 1), integer("is_inner_broadcast")},
     .kind = OpKind::reduction, .infer = infer_like_first, .evaluate = evaluate_bias_softmax, .flops = biased_softmax_flops},
    {.name = "BiasDropout", .domain = kContribDomain, .versions = {1}, .inputs = {2, 5}, .outputs = {1, 2},
     .attributes = {integer("seed")}, .kind = OpKind::opaque, .deterministic = false,
     .infer = infer_bias_dropout, .evaluate = evaluate_bias_dropout},
});
// clang-format on

}  // namespace
}  // namespace hone
