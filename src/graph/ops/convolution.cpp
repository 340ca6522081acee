#include "graph/ops/axes.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"
#include "graph/ops/numbers.h"
#include "graph/ops/quantized.h"
#include "graph/ops/sliding_product.h"
#include "graph/ops/window.h"

// Convolutions, plain, quantised and transposed.

namespace hone {
namespace {

/// Weights stand at input 3 of the form with scales, else at 1.
std::size_t weights_input(const NodeReader& node) { return node.entry().name == "QLinearConv" ? 3 : 1; }

std::int64_t groups_of(const NodeReader& node) {
  const std::int64_t groups = node.integer("group");
  if (groups < 1) node.fail("group cannot be {}", groups);
  return groups;
}

void check_ranks(const NodeReader& node, const Shape& x, const Shape* weights) {
  if (x.size() < 3) node.fail("the input {} has no spatial dims", text_of(x));
  if (weights != nullptr && weights->size() != x.size())
    node.fail("weights {} do not fit the input {}", text_of(*weights), text_of(x));
}

void check_channels(const NodeReader& node, Dim given, Dim expected) {
  if (given.known() && expected.known() && given != expected)
    node.fail("the input has {} channels, the weights expect {}", given.text(), expected.text());
}

Shape convolution_shape(const NodeReader& node, const Shape& x, const Shape* weights) {
  check_ranks(node, x, weights);
  Shape shape(x.size());
  shape[0] = x[0];
  if (weights != nullptr) {
    shape[1] = (*weights)[0];
    const std::int64_t groups = groups_of(node);
    check_channels(node, x[1], (*weights)[1] * Dim(groups));
    if (shape[1].known() && shape[1].value() % groups != 0)
      node.fail("{} filters in {} groups", shape[1].value(), groups);
  }
  return windowed_shape(node, std::move(shape), x, weights);
}

void infer_convolution_as(InferContext& context, ElementType element) {
  if (context.shape(0) == nullptr) return context.output(0, element);
  context.output(0, element, convolution_shape(context, *context.shape(0), context.shape(weights_input(context))));
}

void infer_conv(InferContext& context) { infer_convolution_as(context, context.element(0)); }
void infer_conv_integer(InferContext& context) { infer_convolution_as(context, ElementType::int32); }
void infer_qlinear_conv(InferContext& context) {
  infer_convolution_as(context, context.has_input(7) ? context.element(7) : context.element(0));
}

/// Geometry of a plain convolution; the input is the wide side.
SlidingGeometry convolution_geometry(const NodeReader& node, const Tensor& x, const Tensor& weights, const Dims& out) {
  const std::int64_t groups = groups_of(node);
  const Dims wide(std::span(x.dims().data() + 2, x.rank() - 2));
  const Window window = read_window(node, std::span(weights.dims().data() + 2, weights.rank() - 2));
  return {.batch = x.dim(0),
          .groups = groups,
          .wide_channels = weights.dim(1),
          .narrow_channels = weights.dim(0) / groups,
          .wide = wide,
          .narrow = Dims(std::span(out.data() + 2, out.size() - 2)),
          .window = window.padded_for(wide).axes};
}

void evaluate_conv(EvaluateContext& context) {
  const Tensor &x = context.tensor(0), &weights = context.tensor(1);
  const Shape weights_shape = weights.shape();
  const Dims dims = dims_of(convolution_shape(context, x.shape(), &weights_shape));
  const SlidingGeometry geometry = convolution_geometry(context, x, weights, dims);
  dispatch_product(x.type(), [&](auto sample) {
    using T = decltype(sample);
    const Numbers<T> wide(x), filters(weights);
    std::vector<T> sums = convolve(geometry, wide.data(), filters.data());
    if (context.has_input(2)) add_bias(context, sums, dims, context.tensor(2));
    context.output(0, tensor_of(x.type(), dims, sums));
  });
}

/// Quantised weights may have one zero point for each filter.
std::vector<std::uint32_t> centered_weights(const NodeReader& node, const Tensor& weights, const Tensor* zero_point) {
  if (zero_point == nullptr || zero_point->count() == 1) return centered(node, weights, zero_point);
  if (zero_point->rank() != 1) node.fail("the zero point of the weights is no vector");
  Dims dims(weights.rank(), 1);
  dims[0] = zero_point->dim(0);
  const Tensor column = zero_point->reshaped(dims);
  return centered(node, weights, &column);
}

/// Tensor and zero point of one factor of a quantised convolution.
struct QuantizedFactor {
  const Tensor& tensor;
  const Tensor* zero_point;
};

/// Sums of products without zero points; padding counts as zero.
std::vector<std::uint32_t> integer_convolution(const NodeReader& node, QuantizedFactor x, QuantizedFactor weights,
                                               const Dims& dims) {
  const auto wide = centered(node, x.tensor, x.zero_point);
  const auto filters = centered_weights(node, weights.tensor, weights.zero_point);
  return convolve(convolution_geometry(node, x.tensor, weights.tensor, dims), wide.data(), filters.data());
}

void evaluate_conv_integer(EvaluateContext& context) {
  const Tensor &x = context.tensor(0), &weights = context.tensor(1);
  const Shape weights_shape = weights.shape();
  const Dims dims = dims_of(convolution_shape(context, x.shape(), &weights_shape));
  const auto zero_point = [&](std::size_t i) { return context.has_input(i) ? &context.tensor(i) : nullptr; };
  const auto sums = integer_convolution(context, {x, zero_point(2)}, {weights, zero_point(3)}, dims);
  context.output(0, tensor_of(ElementType::int32, dims, sums));
}

void evaluate_qlinear_conv(EvaluateContext& context) {
  const Tensor &x = context.tensor(0), &weights = context.tensor(3), &y_zero_point = context.tensor(7);
  const Shape weights_shape = weights.shape();
  const Dims dims = dims_of(convolution_shape(context, x.shape(), &weights_shape));
  auto sums = integer_convolution(context, {x, &context.tensor(2)}, {weights, &context.tensor(5)}, dims);
  if (context.has_input(8)) add_bias(context, sums, dims, context.tensor(8));
  const Tensor& scales = context.tensor(4);
  const auto filters = static_cast<std::size_t>(dims[1]);
  if (scales.count() != 1 && scales.count() != filters)
    context.fail("{} scales for {} filters", scales.count(), filters);
  if (context.tensor(1).count() != 1 || context.tensor(6).count() != 1 || y_zero_point.count() != 1)
    context.fail("scales and zero points of input and output must be single numbers");
  const double scale = context.tensor(1).number_at(0) / context.tensor(6).number_at(0);
  const Numbers<double> by_filter(scales);
  const auto plane = static_cast<std::size_t>(count_between(dims, 2, dims.size()));
  std::vector<double> result(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const double real =
        static_cast<std::int32_t>(sums[i]) * scale * by_filter[scales.count() == 1 ? 0 : i / plane % filters];
    result[i] = quantized(real, y_zero_point.number_at(0), y_zero_point.type());
  }
  context.output(0, tensor_of(y_zero_point.type(), dims, result));
}

double convolution_flops(const CostContext& context) {
  const std::size_t weights = weights_input(context);
  const double filters = context.input_dim(weights, 0);
  const double per_output = filters > 0 ? context.input_elements(weights) / filters : 0;
  const bool biased = context.has_input(weights == 3 ? 8 : 2) && context.entry().name != "ConvInteger";
  return context.output_elements(0) * (2 * per_output + (biased ? 1 : 0));
}

/// Attributes of everything that slides a window with weights.
std::vector<AttributeSpec> convolution_attributes() {
  return {text("auto_pad", "NOTSET"), integers("dilations"), integer("group", 1),
          integers("kernel_shape"),   integers("pads"),      integers("strides")};
}

// clang-format off
const OpFamily convolution_family({
    {.name = "Conv", .versions = {1, 11, 22}, .inputs = {2, 3}, .attributes = convolution_attributes(),
     .kind = OpKind::contraction, .degree = Degree::bilinear,
     .infer = infer_conv, .evaluate = evaluate_conv, .flops = convolution_flops},
    {.name = "ConvInteger", .versions = {10}, .inputs = {2, 4}, .attributes = convolution_attributes(),
     .kind = OpKind::contraction, .infer = infer_conv_integer, .evaluate = evaluate_conv_integer,
     .flops = convolution_flops},
    {.name = "QLinearConv", .versions = {10}, .inputs = {8, 9}, .attributes = convolution_attributes(),
     .kind = OpKind::contraction, .infer = infer_qlinear_conv, .evaluate = evaluate_qlinear_conv,
     .flops = convolution_flops},
});
// clang-format on

}  // namespace
}  // namespace hone
