#include "graph/ops/creation.h"

#include <cmath>
#include <numbers>

#include "graph/ops/convert.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/family.h"
#include "graph/ops/pointwise.h"

// Operators that make tensors from a few numbers: constants, ranges, windows.

namespace hone {

Dims checked_dims(const NodeReader& node, std::span<const std::int64_t> dims) {
  std::int64_t count = 1;
  for (const std::int64_t d : dims) {
    if (d < 0) node.fail("the shape has a dimension {}", d);
    if (__builtin_mul_overflow(count, d, &count) || count > kMaxCreated)
      node.fail("the result would have over {} elements", kMaxCreated);
  }
  return Dims(dims);
}

ElementType element_or_input(const NodeReader& node, ElementType input) {
  return node.has_attribute("dtype") ? element_type_attribute(node, "dtype") : input;
}

double bytes_of_output(const CostContext& context) { return context.output_bytes(0); }

namespace {

/// Whether a Constant holds a sparse tensor, which may stand under the name of a dense one.
bool is_sparse(const NodeReader& node) {
  const Attribute* value = node.node().attribute("value");
  return node.has_attribute("sparse_value") ||
         (value != nullptr && std::holds_alternative<OpaqueAttribute>(value->value));
}

/// Constant holds its value in one of several attributes.
Tensor constant_value(const NodeReader& node) {
  if (is_sparse(node)) node.fail("sparse constants are not supported");
  const auto length = [](const auto& list) { return Dims{static_cast<std::int64_t>(list.size())}; };
  if (node.has_attribute("value")) return node.tensor_attribute("value").aligned();
  if (node.has_attribute("value_float")) return Tensor::scalar(node.number("value_float"));
  if (node.has_attribute("value_int")) return Tensor::scalar(node.integer("value_int"));
  if (node.has_attribute("value_string")) return Tensor::of<std::string>(std::span(&node.text("value_string"), 1), {});
  if (node.has_attribute("value_ints")) return Tensor::vector(node.integers("value_ints"));
  if (node.has_attribute("value_floats")) {
    const std::vector<float> values = node.numbers("value_floats");
    return Tensor::of<float>(values, length(values));
  }
  if (node.has_attribute("value_strings")) {
    const std::vector<std::string> values = node.texts("value_strings");
    return Tensor::of<std::string>(values, length(values));
  }
  node.fail("has no value");
}

void infer_constant(InferContext& context) {
  if (is_sparse(context)) return;
  const Tensor value = constant_value(context);
  context.output(0, value.type(), value.shape());
}

void evaluate_constant(EvaluateContext& context) { context.output(0, constant_value(context)); }

/// The one element ConstantOfShape repeats: a float zero unless given.
Tensor repeated_element(const NodeReader& node) {
  if (!node.has_attribute("value")) return Tensor::scalar(0.0f);
  const Tensor& value = node.tensor_attribute("value");
  if (value.count() != 1) node.fail("the value has {} elements, not one", value.count());
  return value.aligned().reshaped({});
}

void infer_constant_of_shape(InferContext& context) {
  const Tensor element = repeated_element(context);
  if (const std::optional<Contents> dims = context.contents(0)) {
    for (const Dim d : *dims)
      if (d.known() && d.value() < 0) context.fail("the shape has a dimension {}", d.value());
    return context.output(0, element.type(), Shape(*dims));
  }
  // The length of the shape tells the rank.
  constexpr std::int64_t kMaxRank = 64;
  const Shape* length = context.shape(0);
  const bool ranked =
      length != nullptr && length->size() == 1 && (*length)[0].known() && (*length)[0].value() <= kMaxRank;
  if (ranked) context.output(0, element.type(), Shape(static_cast<std::size_t>((*length)[0].value())));
  else context.output(0, element.type());
}

void evaluate_constant_of_shape(EvaluateContext& context) {
  const Tensor element = repeated_element(context);
  const std::vector<std::int64_t> dims = context.tensor(0).integers();
  Tensor result = Tensor::zeros(element.type(), checked_dims(context, dims));
  if (bit_width(element.type()) % 8 != 0) {
    for (std::size_t i = 0; i < result.count(); ++i) result.set_number(i, element.number_at(0));
  } else if (element.type() == ElementType::string) {
    std::ranges::fill(result.write<std::string>(), element.strings()[0]);
  } else {
    const std::span<const std::byte> source = element.bytes();
    const std::span<std::byte> target = result.write_bytes();
    for (std::size_t i = 0; i < target.size(); ++i) target[i] = source[i % source.size()];
  }
  context.output(0, std::move(result));
}

void infer_eye_like(InferContext& context) { infer_like_input(context, element_or_input(context, context.element(0))); }

void evaluate_eye_like(EvaluateContext& context) {
  const Tensor& like = context.tensor(0);
  if (like.rank() != 2) context.fail("the input has rank {}, not 2", like.rank());
  Tensor eye = Tensor::zeros(element_or_input(context, like.type()), like.dims());
  const std::int64_t diagonal = context.integer("k");
  for (std::int64_t row = 0; row < like.dim(0); ++row) {
    std::int64_t column = 0;
    const bool exists = !__builtin_add_overflow(row, diagonal, &column) && column >= 0 && column < like.dim(1);
    if (exists) eye.set_number(static_cast<std::size_t>(row * like.dim(1) + column), 1);
  }
  context.output(0, std::move(eye));
}

/// Elements of a range; symbolic bounds are sizes, so their difference is taken not to be negative.
Dim range_length(const NodeReader& node, Dim start, Dim limit, Dim delta) {
  if (delta == Dim(0)) node.fail("delta is 0");
  if (!delta.known()) return {};
  const Dim length = delta.value() > 0 ? ceil_div(limit - start, delta) : ceil_div(start - limit, 0 - delta);
  return length.known() ? maximum(length, 0) : length;
}

void infer_range(InferContext& context) {
  const std::optional<Contents> start = context.contents(0), limit = context.contents(1), delta = context.contents(2);
  const bool scalars = start && limit && delta && start->size() == 1 && limit->size() == 1 && delta->size() == 1;
  const Dim length = scalars ? range_length(context, (*start)[0], (*limit)[0], (*delta)[0]) : Dim();
  context.output(0, context.element(0), Shape{length});
  constexpr std::int64_t kMaxListed = 64;
  if (!length.known() || length.value() > kMaxListed) return;
  Contents contents;
  for (std::int64_t i = 0; i < length.value(); ++i) contents.push_back((*start)[0] + (*delta)[0] * i);
  context.output_contents(0, std::move(contents));
}

using RangeTypes = ElementTypes<float, double, Float16, BFloat16, std::int16_t, std::int32_t, std::int64_t>;

/// Elements of a range of numbers, as a double because it may be absurd or NaN.
template <class Wide>
double range_steps(Wide start, Wide limit, Wide delta) {
  if constexpr (std::is_integral_v<Wide>) {
    // Rounds up by adding what a full step lacks.
    const __int128 distance = delta > 0 ? __int128{limit} - start : __int128{start} - limit;
    const __int128 step = delta > 0 ? __int128{delta} : -__int128{delta};
    return distance <= 0 ? 0 : static_cast<double>((distance + step - 1) / step);
  } else {
    return std::max(std::ceil((limit - start) / delta), 0.0);
  }
}

void evaluate_range(EvaluateContext& context) {
  for (const std::size_t i : {0, 1, 2})
    if (context.tensor(i).count() != 1) context.fail("input {} is not a single number", i);
  const ElementType type = context.tensor(0).type();
  dispatch(context, type, RangeTypes{}, [&](auto zero) {
    using T = decltype(zero);
    using Wide = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;
    const auto scalar = [&](std::size_t i) { return static_cast<Wide>(context.tensor(i).values<T>()[0]); };
    const Wide start = scalar(0), delta = scalar(2);
    if (delta == 0) context.fail("delta is 0");
    const double steps = range_steps(start, scalar(1), delta);
    if (!(steps <= static_cast<double>(kMaxCreated))) context.fail("the range would have {} elements", steps);
    Tensor result = Tensor::zeros(type, {to_integer(steps)});
    const std::span<T> out = result.write<T>();
    for (std::size_t i = 0; i < out.size(); ++i) {
      if constexpr (std::is_integral_v<T>) out[i] = static_cast<T>(wrapping(start) + wrapping(delta) * i);
      else out[i] = convert<T>(start + delta * static_cast<double>(i));
    }
    context.output(0, std::move(result));
  });
}

ElementType window_element(const NodeReader& node) { return element_type_attribute(node, "output_datatype"); }

void infer_window(InferContext& context) {
  const std::optional<Contents> size = context.contents(0);
  context.output(0, window_element(context), Shape{size && size->size() == 1 ? (*size)[0] : Dim()});
}

/// Fills a window with a sum of cosines of the position as a share of a period.
template <class Weight>
void evaluate_window(EvaluateContext& context, Weight weight) {
  if (context.tensor(0).count() != 1) context.fail("the size is not a single number");
  const std::int64_t size[] = {context.tensor(0).integer_at(0)};
  std::vector<double> samples(static_cast<std::size_t>(element_count(checked_dims(context, size))));
  // A symmetric window ends where a periodic one would start again.
  const auto period = static_cast<double>(size[0] - (context.integer("periodic") != 0 ? 0 : 1));
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples[i] = period == 0 ? 1 : weight(2 * std::numbers::pi * static_cast<double>(i) / period);
  Tensor result = Tensor::zeros(window_element(context), Dims(size));
  write_numbers(result, 0, samples);
  context.output(0, std::move(result));
}

void evaluate_hann(EvaluateContext& context) {
  evaluate_window(context, [](double angle) { return 0.5 - 0.5 * std::cos(angle); });
}
void evaluate_hamming(EvaluateContext& context) {
  evaluate_window(context, [](double angle) { return 25.0 / 46 - 21.0 / 46 * std::cos(angle); });
}
void evaluate_blackman(EvaluateContext& context) {
  evaluate_window(context, [](double angle) { return 0.42 - 0.5 * std::cos(angle) + 0.08 * std::cos(2 * angle); });
}

const std::vector<AttributeSpec> kWindowAttributes = {integer("output_datatype", 1), integer("periodic", 1)};

// clang-format off
const OpFamily creation_family({
    {.name = "Constant", .versions = {1, 9, 11, 12, 13, 19, 21, 23, 24, 25}, .inputs = {0, 0},
     .attributes = {tensor("value"), other("sparse_value").since(11), number("value_float").since(12), integer("value_int").since(12),
                    text("value_string").since(12), numbers("value_floats").since(12), integers("value_ints").since(12),
                    texts("value_strings").since(12)},
     .kind = OpKind::movement, .infer = infer_constant, .evaluate = evaluate_constant,
     .bytes = [](const CostContext&) { return 0.0; }},
    {.name = "ConstantOfShape", .versions = {9, 20, 21, 23, 24, 25}, .attributes = {tensor("value")},
     .kind = OpKind::movement, .infer = infer_constant_of_shape, .evaluate = evaluate_constant_of_shape},
    {.name = "EyeLike", .versions = {9, 22}, .attributes = {integer("dtype"), integer("k", 0)},
     .kind = OpKind::movement, .infer = infer_eye_like, .evaluate = evaluate_eye_like, .bytes = bytes_of_output},
    {.name = "Range", .versions = {11}, .inputs = {3, 3},
     .kind = OpKind::movement, .infer = infer_range, .evaluate = evaluate_range},
    {.name = "HannWindow", .versions = {17}, .attributes = kWindowAttributes,
     .kind = OpKind::pointwise, .infer = infer_window, .evaluate = evaluate_hann},
    {.name = "HammingWindow", .versions = {17}, .attributes = kWindowAttributes,
     .kind = OpKind::pointwise, .infer = infer_window, .evaluate = evaluate_hamming},
    {.name = "BlackmanWindow", .versions = {17}, .attributes = kWindowAttributes,
     .kind = OpKind::pointwise, .infer = infer_window, .evaluate = evaluate_blackman},
});
// clang-format on

}  // namespace
}  // namespace hone
