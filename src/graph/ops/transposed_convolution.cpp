#include "graph/ops/transposed_convolution.h"

#include <algorithm>

#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"
#include "graph/ops/numbers.h"
#include "graph/ops/sliding_product.h"

// ConvTranspose: the convolution whose gradient is an ordinary one.

namespace hone {
namespace {

std::vector<std::int64_t> list_of(const NodeReader& node, std::string_view name, std::size_t rank) {
  std::vector<std::int64_t> list = node.integers(name);
  if (list.empty()) list.assign(rank, 0);
  // output_shape may also name batch and channels.
  if (list.size() == rank + 2) list.erase(list.begin(), list.begin() + 2);
  if (list.size() != rank) node.fail("{} has {} entries, expected {}", name, list.size(), rank);
  for (const std::int64_t entry : list)
    if (entry < 0) node.fail("{} cannot be {}", name, entry);
  return list;
}

/// Padding that makes the output `wanted` long where it would be `full` long without; the odd one goes to the beginning
/// unless the rule is same_upper.
void pad_to(WindowAxis& axis, Window::Padding rule, Dim full, Dim wanted) {
  const Dim difference = full - wanted;
  const std::int64_t total = difference.known() ? std::max<std::int64_t>(0, difference.value()) : 0;
  axis.pad_begin = rule == Window::Padding::same_upper ? total / 2 : total - total / 2;
  axis.pad_end = total - axis.pad_begin;
}

}  // namespace

Spread spread_of(const NodeReader& node, const Shape& x, std::span<const std::int64_t> sizes) {
  const std::size_t rank = sizes.size();
  Spread spread = {read_window(node, sizes), Shape(rank)};
  const auto extra = list_of(node, "output_padding", rank), wanted = list_of(node, "output_shape", rank);
  const bool fixed = node.has_attribute("output_shape");
  for (std::size_t i = 0; i < rank; ++i) {
    WindowAxis& axis = spread.window.axes[i];
    const Dim input = x[i + 2];
    const Dim full = (input - 1) * Dim(axis.stride) + Dim(extra[i]) + Dim(axis.extent());
    Dim& out = spread.spatial[i];
    if (fixed) out = wanted[i];
    else if (spread.window.padding != Window::Padding::given) out = input * Dim(axis.stride);
    else out = full - (axis.pad_begin + axis.pad_end);
    if (fixed || spread.window.padding != Window::Padding::given) pad_to(axis, spread.window.padding, full, out);
    if (out.known() && out.value() < 0) node.fail("the output would be {} long", out.value());
  }
  return spread;
}

namespace {

void check_fit(const NodeReader& node, const Shape& x, const Shape& weights) {
  if (x.size() < 3 || weights.size() != x.size())
    node.fail("weights {} do not fit the input {}", text_of(weights), text_of(x));
  if (x[1].known() && weights[0].known() && x[1] != weights[0])
    node.fail("the input has {} channels, the weights expect {}", x[1].text(), weights[0].text());
  const std::int64_t groups = node.integer("group");
  if (groups < 1 || (weights[0].known() && weights[0].value() % groups != 0))
    node.fail("{} channels in {} groups", weights[0].text(), groups);
}

void infer_conv_transpose(InferContext& context) {
  const Shape *x = context.shape(0), *weights = context.shape(1);
  if (x == nullptr) return context.output(0, context.element(0));
  if (weights != nullptr) check_fit(context, *x, *weights);
  Shape shape(x->size());
  if (!shape.empty()) shape[0] = (*x)[0];
  if (weights != nullptr) shape[1] = (*weights)[1] * Dim(context.integer("group"));
  const auto sizes = weight_window(context, weights);
  if (sizes && sizes->size() + 2 == x->size()) {
    const Shape spatial = spread_of(context, *x, *sizes).spatial;
    for (std::size_t i = 0; i < spatial.size(); ++i) shape[i + 2] = spatial[i];
  }
  context.output(0, context.element(0), shape);
}

void evaluate_conv_transpose(EvaluateContext& context) {
  const Tensor &x = context.tensor(0), &weights = context.tensor(1);
  check_fit(context, x.shape(), weights.shape());
  const std::int64_t groups = context.integer("group");
  const Spread spread = spread_of(context, x.shape(), std::span(weights.dims().data() + 2, weights.rank() - 2));
  const SlidingGeometry geometry = {.batch = x.dim(0),
                                    .groups = groups,
                                    .wide_channels = weights.dim(1),
                                    .narrow_channels = x.dim(1) / groups,
                                    .wide = dims_of(spread.spatial),
                                    .narrow = Dims(std::span(x.dims().data() + 2, x.rank() - 2)),
                                    .window = spread.window.axes};
  Dims dims = geometry.wide;
  dims.insert(0, weights.dim(1) * groups);
  dims.insert(0, x.dim(0));
  dispatch_product(x.type(), [&](auto sample) {
    using T = decltype(sample);
    const Numbers<T> narrow(x), filters(weights);
    std::vector<T> sums = convolve_transposed(geometry, narrow.data(), filters.data());
    if (context.has_input(2)) add_bias(context, sums, dims, context.tensor(2));
    context.output(0, tensor_of(x.type(), dims, sums));
  });
}

double conv_transpose_flops(const CostContext& context) {
  const double channels = context.input_dim(1, 0);
  const double per_input = channels > 0 ? context.input_elements(1) / channels : 0;
  return 2 * context.input_elements(0) * per_input + (context.has_input(2) ? context.output_elements(0) : 0);
}

// clang-format off
const OpFamily transposed_convolution_family({
    {.name = "ConvTranspose", .versions = {1, 11, 22}, .inputs = {2, 3},
     .attributes = {text("auto_pad", "NOTSET"), integers("dilations"), integer("group", 1), integers("kernel_shape"),
                    integers("output_padding"), integers("output_shape"), integers("pads"), integers("strides")},
     .kind = OpKind::contraction, .degree = Degree::bilinear,
     .infer = infer_conv_transpose, .evaluate = evaluate_conv_transpose,
     .flops = conv_transpose_flops},
});
// clang-format on

}  // namespace
}  // namespace hone
