#include <algorithm>
#include <bit>
#include <cmath>

#include "graph/ops/convert.h"
#include "graph/ops/creation.h"
#include "graph/ops/family.h"
#include "graph/ops/pointwise.h"

// Operators that draw random numbers. A node with a seed of its own draws the same numbers every time.

namespace hone {
namespace {

Rng generator(EvaluateContext& context) {
  if (!context.has_attribute("seed")) return context.rng();
  return Rng(std::bit_cast<std::uint32_t>(context.number("seed")));
}

/// A tensor of independent draws.
template <class Draw>
Tensor drawn(ElementType type, const Dims& dims, Draw draw) {
  std::vector<double> numbers(static_cast<std::size_t>(element_count(dims)));
  std::ranges::generate(numbers, draw);
  Tensor result = Tensor::zeros(type, dims);
  write_numbers(result, 0, numbers);
  return result;
}

void infer_like(InferContext& context) { infer_like_input(context, element_or_input(context, context.element(0))); }

void infer_drawn(InferContext& context) {
  const Dims dims = checked_dims(context, context.integers("shape"));
  Shape shape;
  for (const std::int64_t d : dims) shape.push_back(d);
  context.output(0, element_type_attribute(context, "dtype"), shape);
}

/// What a node draws, and into what.
struct Target {
  ElementType type;
  Dims dims;
};

Target target_of(const EvaluateContext& context) {
  if (context.input_count() > 0) return {element_or_input(context, context.tensor(0).type()), context.tensor(0).dims()};
  return {element_type_attribute(context, "dtype"), checked_dims(context, context.integers("shape"))};
}

void evaluate_normal(EvaluateContext& context) {
  Rng rng = generator(context);
  const double mean = context.number("mean"), scale = context.number("scale");
  const Target target = target_of(context);
  context.output(0, drawn(target.type, target.dims, [&] { return mean + scale * rng.normal(); }));
}

void evaluate_uniform(EvaluateContext& context) {
  Rng rng = generator(context);
  const double low = context.number("low"), high = context.number("high");
  const Target target = target_of(context);
  context.output(0, drawn(target.type, target.dims, [&] { return rng.uniform(low, high); }));
}

/// Each element is 1 with the probability the input gives.
void evaluate_bernoulli(EvaluateContext& context) {
  Rng rng = generator(context);
  const Target target = target_of(context);
  const std::vector<double> probabilities = numbers_of(context.tensor(0));
  auto next = probabilities.begin();
  context.output(0, drawn(target.type, target.dims, [&] { return rng.uniform() < *next++ ? 1.0 : 0.0; }));
}

std::int64_t sample_size(const NodeReader& node) {
  const std::int64_t size = node.integer("sample_size");
  if (size < 1) node.fail("sample_size is {}", size);
  return size;
}

void infer_multinomial(InferContext& context) {
  const Shape* input = context.shape(0);
  if (input != nullptr && input->size() != 2) context.fail("the input has shape {}, not rank 2", text_of(*input));
  context.output(0, element_type_attribute(context, "dtype"),
                 Shape{input != nullptr ? (*input)[0] : Dim(), sample_size(context)});
}

/// Running sums of the probabilities whose logarithms, up to a common term, are given.
std::vector<double> cumulative_probabilities(std::span<const double> logarithms) {
  const double largest = *std::ranges::max_element(logarithms);
  std::vector<double> sums;
  double sum = 0;
  for (const double logarithm : logarithms) sums.push_back(sum += std::exp(logarithm - largest));
  return sums;
}

/// Draws classes, row by row.
void evaluate_multinomial(EvaluateContext& context) {
  const Tensor& input = context.tensor(0);
  if (input.rank() != 2 || input.dim(1) == 0)
    context.fail("the input has shape {}, not rows of classes", text_of(input.shape()));
  Rng rng = generator(context);
  const std::vector<double> logarithms = numbers_of(input);
  const auto classes = static_cast<std::size_t>(input.dim(1));
  const std::int64_t size = sample_size(context), wanted[] = {input.dim(0), size};
  std::vector<double> sums;
  std::size_t drawn_so_far = 0;
  const auto draw = [&] {
    if (drawn_so_far % static_cast<std::size_t>(size) == 0) {
      const std::size_t row = drawn_so_far / static_cast<std::size_t>(size);
      sums = cumulative_probabilities(std::span(logarithms).subspan(row * classes, classes));
    }
    ++drawn_so_far;
    const auto found = std::ranges::upper_bound(sums, rng.uniform() * sums.back());
    return static_cast<double>(
        std::min<std::ptrdiff_t>(found - sums.begin(), static_cast<std::ptrdiff_t>(classes) - 1));
  };
  context.output(0, drawn(element_type_attribute(context, "dtype"), checked_dims(context, wanted), draw));
}

// clang-format off
const OpFamily random_draw_family({
    {.name = "RandomNormal", .versions = {1, 22}, .inputs = {0, 0},
     .attributes = {integer("dtype", 1), number("mean", 0.0f), number("scale", 1.0f), number("seed"), integers("shape")},
     .kind = OpKind::pointwise, .deterministic = false, .infer = infer_drawn, .evaluate = evaluate_normal},
    {.name = "RandomUniform", .versions = {1, 22}, .inputs = {0, 0},
     .attributes = {integer("dtype", 1), number("low", 0.0f), number("high", 1.0f), number("seed"), integers("shape")},
     .kind = OpKind::pointwise, .deterministic = false, .infer = infer_drawn, .evaluate = evaluate_uniform},
    {.name = "RandomNormalLike", .versions = {1, 22},
     .attributes = {integer("dtype"), number("mean", 0.0f), number("scale", 1.0f), number("seed")},
     .kind = OpKind::pointwise, .deterministic = false, .infer = infer_like, .evaluate = evaluate_normal, .bytes = bytes_of_output},
    {.name = "RandomUniformLike", .versions = {1, 22},
     .attributes = {integer("dtype"), number("low", 0.0f), number("high", 1.0f), number("seed")},
     .kind = OpKind::pointwise, .deterministic = false, .infer = infer_like, .evaluate = evaluate_uniform, .bytes = bytes_of_output},
    {.name = "Bernoulli", .versions = {15, 22}, .attributes = {integer("dtype"), number("seed")},
     .kind = OpKind::pointwise, .deterministic = false, .infer = infer_like, .evaluate = evaluate_bernoulli},
    {.name = "Multinomial", .versions = {7, 22}, .attributes = {integer("dtype", 6), integer("sample_size", 1), number("seed")},
     .kind = OpKind::reduction, .deterministic = false, .infer = infer_multinomial, .evaluate = evaluate_multinomial},
});
// clang-format on

}  // namespace
}  // namespace hone
