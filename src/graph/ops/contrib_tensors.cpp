#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "graph/ops/as_operator.h"
#include "graph/ops/axes.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/family.h"
#include "graph/ops/real_array.h"

// Older forms of ONNX operators and a few of its own that ONNX Runtime keeps in com.microsoft.

namespace hone {
namespace {

// The same operators ONNX adopted later
// --------------------------------------------------------------------------------

constexpr StandardOp kPad = {.name = "Pad", .opset = 11};
constexpr StandardOp kRange = {.name = "Range", .opset = 11};
constexpr StandardOp kTrilu = {.name = "Trilu", .opset = 14};

template <const StandardOp& kOp>
void infer_adopted(InferContext& context) {
  adopt_inference(context, kOp);
}

template <const StandardOp& kOp>
void evaluate_adopted(EvaluateContext& context) {
  std::vector<Datum> inputs;
  for (std::size_t i = 0; i < context.input_count(); ++i) inputs.push_back(context.input(i));
  std::vector<Datum> outputs = evaluate_as(context, kOp, inputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) context.output(i, std::move(outputs[i]));
}

// ExpandDims: a new axis of length 1 at the place input 1 names
// ----------------------------------------------------------

void infer_expand_dims(InferContext& context) {
  const auto axis = context.known_integers(1);
  if (context.shape(0) == nullptr || !axis || axis->size() != 1) {
    if (context.shape(0) == nullptr) return context.output(0, context.element(0));
    return context.output(0, context.element(0), Shape(context.shape(0)->size() + 1));
  }
  Shape shape = *context.shape(0);
  shape.insert(normalize_axis(context, axis->front(), shape.size() + 1), 1);
  context.output(0, context.element(0), shape);
  if (auto contents = context.contents(0)) context.output_contents(0, *contents);
}

void evaluate_expand_dims(EvaluateContext& context) {
  if (context.tensor(1).count() != 1) context.fail("the axis is not one number");
  Dims dims = context.tensor(0).dims();
  dims.insert(normalize_axis(context, context.tensor(1).integer_at(0), dims.size() + 1), 1);
  context.output(0, context.tensor(0).reshaped(dims));
}

// Unique: distinct elements of a vector in order of appearance, where each element went, how often each occurs
// -------------

void infer_contrib_unique(InferContext& context) {
  const Shape* input = context.shape(0);
  if (input != nullptr && input->size() != 1) context.fail("the input {} is no vector", text_of(*input));
  context.output(0, context.element(0), Shape(1));
  context.output(1, ElementType::int64, {input != nullptr ? (*input)[0] : Dim()});
  context.output(2, ElementType::int64, Shape(1));
}

void evaluate_contrib_unique(EvaluateContext& context) {
  const Tensor& input = context.tensor(0);
  if (input.rank() != 1) context.fail("the input {} is no vector", text_of(input.shape()));
  const RealArray numbers = RealArray::of(input);
  std::vector<double> distinct;
  std::vector<std::int64_t> counts, places;
  std::unordered_map<double, std::size_t> place_of;
  for (const double value : numbers.values) {
    const auto [place, added] = place_of.try_emplace(value, distinct.size());
    if (added) {
      distinct.push_back(value);
      counts.push_back(0);
    }
    ++counts[place->second];
    places.push_back(static_cast<std::int64_t>(place->second));
  }
  context.output(0, RealArray(Dims{std::ssize(distinct)}, distinct).rounded(input.type()));
  context.output(1, Tensor::vector(places));
  context.output(2, Tensor::vector(counts));
}

// CDist: distances between all rows of two matrices
// -----------------------------------------------------------------------

void infer_distances(InferContext& context) {
  const Shape *a = context.shape(0), *b = context.shape(1);
  const Dim rows = a && a->size() == 2 ? (*a)[0] : Dim(), columns = b && b->size() == 2 ? (*b)[0] : Dim();
  context.output(0, context.element(0), {rows, columns});
}

void evaluate_distances(EvaluateContext& context) {
  const RealArray a = RealArray::of(context.tensor(0)), b = RealArray::of(context.tensor(1));
  if (a.rank() != 2 || b.rank() != 2 || a.dim(1) != b.dim(1)) context.fail("the inputs are no matrices of equal width");
  const std::string& metric = context.text("metric");
  if (metric != "euclidean" && metric != "sqeuclidean") context.fail("metric '{}' is not known", metric);
  const auto width = static_cast<std::size_t>(a.dim(1)), columns = static_cast<std::size_t>(b.dim(0));
  RealArray result(Dims{a.dim(0), b.dim(0)});
  for (std::size_t i = 0; i < result.count(); ++i) {
    double squares = 0;
    for (std::size_t k = 0; k < width; ++k) {
      const double difference = a.values[i / columns * width + k] - b.values[i % columns * width + k];
      squares += difference * difference;
    }
    result.values[i] = metric == "euclidean" ? std::sqrt(squares) : squares;
  }
  context.output(0, result.rounded(context.tensor(0).type()));
}

double distance_flops(const CostContext& context) { return 3 * context.output_elements(0) * context.input_dim(0, 1); }

// Inverse of square matrices, by elimination with pivots
// --------------------------------------------------------------------

void infer_inverse(InferContext& context) { context.output(0, context.type(0)); }

/// Swaps and subtracts rows of [matrix | result] until the left half is the identity.
void invert(const NodeReader& node, std::span<double> matrix, std::span<double> result, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) result[i * size + i] = 1;
  for (std::size_t column = 0; column < size; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column; row < size; ++row)
      if (std::abs(matrix[row * size + column]) > std::abs(matrix[pivot * size + column])) pivot = row;
    const double head = matrix[pivot * size + column];
    if (head == 0) node.fail("a matrix has no inverse");
    for (std::size_t k = 0; k < size; ++k) {
      std::swap(matrix[pivot * size + k], matrix[column * size + k]);
      std::swap(result[pivot * size + k], result[column * size + k]);
      matrix[column * size + k] /= head;
      result[column * size + k] /= head;
    }
    for (std::size_t row = 0; row < size; ++row) {
      const double factor = matrix[row * size + column];
      if (row == column || factor == 0) continue;
      for (std::size_t k = 0; k < size; ++k) {
        matrix[row * size + k] -= factor * matrix[column * size + k];
        result[row * size + k] -= factor * result[column * size + k];
      }
    }
  }
}

void evaluate_inverse(EvaluateContext& context) {
  RealArray numbers = RealArray::of(context.tensor(0));
  if (numbers.rank() < 2 || numbers.dims.back() != numbers.dim(numbers.rank() - 2))
    context.fail("the input is no square matrix");
  const auto size = static_cast<std::size_t>(numbers.dims.back());
  RealArray result(numbers.dims);
  for (std::size_t first = 0; first < numbers.count(); first += size * size)
    invert(context, std::span(numbers.values).subspan(first, size * size),
           std::span(result.values).subspan(first, size * size), size);
  context.output(0, result.rounded(context.tensor(0).type()));
}

/// Two operations for each of size^3 steps, on both halves.
double inverse_flops(const CostContext& context) { return 4 * context.input_elements(0) * context.input_dim(0, -1); }

// Fourier transforms, which are only typed: complex numbers are a last axis of 2
// ---------------------------------------------

void infer_rfft(InferContext& context) {
  if (context.shape(0) == nullptr) return context.output(0, context.element(0));
  Shape shape = *context.shape(0);
  if (shape.empty()) context.fail("the input is a scalar");
  if (context.integer("onesided") != 0) shape.back() = floor_div(shape.back(), 2) + 1;
  shape.push_back(2);
  context.output(0, context.element(0), shape);
}

void infer_irfft(InferContext& context) {
  if (context.shape(0) == nullptr) return context.output(0, context.element(0));
  Shape shape = *context.shape(0);
  if (shape.size() < 2) context.fail("the input {} holds no complex numbers", text_of(shape));
  shape.pop_back();
  if (context.integer("onesided") != 0) shape.back() = (shape.back() - 1) * 2;
  context.output(0, context.element(0), shape);
}

double fourier_flops(const CostContext& context) {
  const double elements = std::max(context.input_elements(0), 2.0);
  return 2.5 * elements * std::log2(elements);
}

/// ConvTransposeWithDynamicPads: the pads are an input, so only the rank and the outer dims are certain.
void infer_dynamic_transposed_conv(InferContext& context) {
  const Shape *x = context.shape(0), *weights = context.shape(1);
  if (x == nullptr) return context.output(0, context.element(0));
  Shape shape(x->size());
  if (!shape.empty()) shape[0] = (*x)[0];
  if (shape.size() > 1 && weights && weights->size() > 1) shape[1] = (*weights)[1] * Dim(context.integer("group"));
  context.output(0, context.element(0), shape);
}

double transposed_conv_flops(const CostContext& context) {
  const double channels = context.input_dim(1, 0);
  return channels > 0 ? 2 * context.input_elements(0) * context.input_elements(1) / channels : 0;
}

// clang-format off
const OpFamily contrib_tensors_family({
    {.name = "Pad", .domain = kContribDomain, .versions = {1}, .inputs = {2, 3}, .attributes = {text("mode", "constant")},
     .kind = OpKind::movement, .infer = infer_adopted<kPad>, .evaluate = evaluate_adopted<kPad>},
    {.name = "Range", .domain = kContribDomain, .versions = {1}, .inputs = {2, 3}, .kind = OpKind::movement,
     .infer = infer_adopted<kRange>, .evaluate = evaluate_adopted<kRange>},
    {.name = "Trilu", .domain = kContribDomain, .versions = {1}, .inputs = {1, 2}, .attributes = {integer("upper", 1)},
     .kind = OpKind::movement, .infer = infer_adopted<kTrilu>, .evaluate = evaluate_adopted<kTrilu>},
    {.name = "ExpandDims", .domain = kContribDomain, .versions = {1}, .inputs = {2, 2}, .kind = OpKind::view, .aliases = {{0, 0}},
     .infer = infer_expand_dims, .evaluate = evaluate_expand_dims},
    {.name = "Unique", .domain = kContribDomain, .versions = {1}, .outputs = {3, 3}, .kind = OpKind::opaque,
     .infer = infer_contrib_unique, .evaluate = evaluate_contrib_unique},
    {.name = "CDist", .domain = kContribDomain, .versions = {1}, .inputs = {2, 2}, .attributes = {text("metric", "sqeuclidean")},
     .kind = OpKind::contraction, .infer = infer_distances, .evaluate = evaluate_distances, .flops = distance_flops},
    {.name = "Inverse", .domain = kContribDomain, .versions = {1}, .kind = OpKind::opaque,
     .infer = infer_inverse, .evaluate = evaluate_inverse, .flops = inverse_flops},
    {.name = "Rfft", .domain = kContribDomain, .versions = {1},
     .attributes = {integer("normalized"), integer("onesided"), integer("signal_ndim")},
     .kind = OpKind::opaque, .infer = infer_rfft, .flops = fourier_flops},
    {.name = "Irfft", .domain = kContribDomain, .versions = {1},
     .attributes = {integer("normalized"), integer("onesided"), integer("signal_ndim")},
     .kind = OpKind::opaque, .infer = infer_irfft, .flops = fourier_flops},
    {.name = "ConvTransposeWithDynamicPads", .domain = kContribDomain, .versions = {1}, .inputs = {2, 4},
     .attributes = {text("auto_pad", "NOTSET"), integers("dilations"), integer("group", 1), integers("kernel_shape"),
                    integers("output_padding"), integers("strides")},
     .kind = OpKind::contraction, .infer = infer_dynamic_transposed_conv, .flops = transposed_conv_flops},
});
// clang-format on

}  // namespace
}  // namespace hone
