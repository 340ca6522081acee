#include <charconv>
#include <cstring>

#include "graph/ops/convert.h"
#include "graph/ops/family.h"
#include "graph/ops/pointwise.h"

// Conversions between element types.

namespace hone {
namespace {

/// Type named by Cast's attribute `to`: a number, in opset 1 the name of the enumerator.
ElementType cast_target(const NodeReader& node) {
  if (node.version() < 6) {
    static constexpr std::pair<std::string_view, ElementType> kNames[] = {
        {"FLOAT", ElementType::float32},
        {"UINT8", ElementType::uint8},
        {"INT8", ElementType::int8},
        {"UINT16", ElementType::uint16},
        {"INT16", ElementType::int16},
        {"INT32", ElementType::int32},
        {"INT64", ElementType::int64},
        {"STRING", ElementType::string},
        {"BOOL", ElementType::boolean},
        {"FLOAT16", ElementType::float16},
        {"DOUBLE", ElementType::float64},
        {"UINT32", ElementType::uint32},
        {"UINT64", ElementType::uint64},
        {"COMPLEX64", ElementType::complex64},
        {"COMPLEX128", ElementType::complex128},
    };
    for (const auto& [name, type] : kNames)
      if (name == node.text("to")) return type;
    node.fail("unknown element type '{}'", node.text("to"));
  }
  return element_type_attribute(node, "to");
}

NarrowRounding narrow_rounding(const NodeReader& node) {
  NarrowRounding rounding;
  if (node.version() >= 19 && node.integer("saturate") == 0) rounding.overflow = NarrowRounding::Overflow::special;
  if (node.version() < 24) return rounding;
  const std::string& mode = node.text("round_mode");
  if (mode == "down") rounding.power = NarrowRounding::PowerOfTwo::down;
  else if (mode == "nearest") rounding.power = NarrowRounding::PowerOfTwo::nearest;
  else if (mode != "up") node.fail("round_mode is '{}', not up, down or nearest", mode);
  return rounding;
}

/// Shortest text that reads back as the same number.
std::string text_of_number(const Tensor& tensor, std::size_t index) {
  switch (tensor.type()) {
    case ElementType::float64: return fmt::format("{}", tensor.number_at(index));
    case ElementType::uint64: return fmt::format("{}", static_cast<std::uint64_t>(tensor.integer_at(index)));
    default: break;
  }
  if (is_floating(tensor.type())) return fmt::format("{}", static_cast<float>(tensor.number_at(index)));
  return fmt::format("{}", tensor.integer_at(index));
}

Tensor to_strings(const Tensor& tensor) {
  Tensor result = Tensor::zeros(ElementType::string, tensor.dims());
  const std::span<std::string> out = result.write<std::string>();
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = text_of_number(tensor, i);
  return result;
}

/// The whole text as a number of type T; nullopt when it is none.
template <class T>
std::optional<T> parsed(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// Texts of integers are read exactly where integers are wanted, all others as real numbers.
Tensor from_strings(const NodeReader& node, const Tensor& tensor, ElementType type) {
  std::vector<std::int64_t> integers;
  std::vector<double> reals;
  for (const std::string& element : tensor.strings()) {
    const std::string_view text = trimmed(element);
    const std::optional<double> real = parsed<double>(text);
    if (!real) node.fail("'{}' is not a number", element);
    reals.push_back(*real);
    std::optional<std::int64_t> integer = parsed<std::int64_t>(text);
    if (const auto natural = parsed<std::uint64_t>(text); natural && !integer)
      integer = static_cast<std::int64_t>(*natural);
    integers.push_back(integer.value_or(to_integer(*real)));
  }
  if (is_integer(type)) return converted(Tensor::of<std::int64_t>(integers, tensor.dims()), type);
  return converted(Tensor::of<double>(reals, tensor.dims()), type);
}

Tensor cast(const NodeReader& node, const Tensor& tensor, ElementType type) {
  if (tensor.type() == type) return tensor;
  if (is_complex(type) || is_complex(tensor.type())) node.fail("complex numbers cannot be cast");
  if (type == ElementType::string) return to_strings(tensor);
  if (tensor.type() == ElementType::string) return from_strings(node, tensor, type);
  return converted(tensor, type, narrow_rounding(node));
}

void evaluate_cast(EvaluateContext& context) {
  context.output(0, cast(context, context.tensor(0), cast_target(context)));
}

void evaluate_cast_like(EvaluateContext& context) {
  context.output(0, cast(context, context.tensor(0), context.tensor(1).type()));
}

Dim unchanged(Dim d) { return d; }
Dim truth(Dim d) { return d.known() ? Dim(d == Dim(0) ? 0 : 1) : never_negative(d - 1) ? Dim(1) : Dim(); }

/// The shape of input 0 with elements of the given type.
void infer_cast_to(InferContext& context, ElementType element) {
  infer_like_input(context, element);
  const bool integers = is_integer(context.element(0)) || context.element(0) == ElementType::boolean;
  if (integers) infer_contents(context, element == ElementType::boolean ? truth : unchanged);
}

void infer_cast(InferContext& context) { infer_cast_to(context, cast_target(context)); }
void infer_cast_like(InferContext& context) { infer_cast_to(context, context.element(1)); }

/// BitCast keeps the bits, so both types must have the same width.
void infer_bit_cast(InferContext& context) {
  const ElementType to = element_type_attribute(context, "to"), from = context.element(0);
  if (from != ElementType::undefined && bit_width(from) != bit_width(to))
    context.fail("cannot read {} as {}, which has another width", name_of(from), name_of(to));
  infer_like_input(context, to);
}

void evaluate_bit_cast(EvaluateContext& context) {
  const ElementType to = element_type_attribute(context, "to");
  const Tensor& from = context.tensor(0);
  if (bit_width(from.type()) != bit_width(to) || bit_width(to) == 0)
    context.fail("cannot read {} as {}, which has another width", name_of(from.type()), name_of(to));
  Tensor result = Tensor::zeros(to, from.dims());
  std::memcpy(result.write_bytes().data(), from.bytes().data(), from.bytes().size());
  context.output(0, std::move(result));
}

// clang-format off
const OpFamily cast_family({
    {.name = "Cast", .versions = {1, 6, 9, 13, 19, 21, 23, 24, 25},
     .attributes = {text("to").until(6), integer("to").since(6), integer("saturate", 1).since(19), text("round_mode", "up").since(24)},
     .kind = OpKind::pointwise, .infer = infer_cast, .evaluate = evaluate_cast},
    {.name = "CastLike", .versions = {15, 19, 21, 23, 24, 25}, .inputs = {2, 2},
     .attributes = {integer("saturate", 1).since(19), text("round_mode", "up").since(24)},
     .kind = OpKind::pointwise, .infer = infer_cast_like, .evaluate = evaluate_cast_like},
    {.name = "BitCast", .versions = {26}, .attributes = {integer("to")},
     .kind = OpKind::pointwise, .infer = infer_bit_cast, .evaluate = evaluate_bit_cast},
});
// clang-format on

}  // namespace
}  // namespace hone
