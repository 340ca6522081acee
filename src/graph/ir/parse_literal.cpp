#include "graph/ir/parse_literal.h"

#include <bit>

#include "graph/ir/element_text.h"
#include "graph/ir/print.h"

namespace hone {
namespace {

constexpr std::int64_t kDimLimit = std::int64_t{1} << 61;

ElementType parse_element_type(TokenStream& tokens) {
  const Token token = tokens.peek();
  const std::string_view word = tokens.identifier("an element type");
  if (word == "undefined") return ElementType::undefined;
  const std::optional<ElementType> type = element_type_named(word);
  if (!type) tokens.fail_at(token.offset, fmt::format("found '{}', expected an element type", word));
  return *type;
}

Dim parse_dim(TokenStream& tokens) {
  if (tokens.accept("?")) return {};
  if (tokens.at_name()) return Dim::symbol(tokens.name("a dimension"));
  const std::size_t offset = tokens.peek().offset;
  const std::int64_t value = tokens.integer("a dimension");
  if (value <= -kDimLimit || value >= kDimLimit)
    tokens.fail_at(offset, "found a dimension beyond 2^61, expected a smaller one");
  return value;
}

Type parse_tensor_type(TokenStream& tokens) {
  const ElementType element = parse_element_type(tokens);
  if (!tokens.accept("[")) return Type::tensor(element, Shape{});
  if (tokens.accept("]")) return Type::tensor(element);
  Shape shape;
  do shape.push_back(parse_dim(tokens));
  while (tokens.accept(","));
  tokens.expect("]");
  return Type::tensor(element, std::move(shape));
}

/// The domain and name of an opaque type, which hone does not keep.
void skip_opaque_name(TokenStream& tokens) {
  while (!tokens.peek().is_symbol(")")) {
    tokens.name("the name of an opaque type");
    if (!tokens.accept(".") && !tokens.accept(",")) break;
  }
}

Type parse_nested_type(TokenStream& tokens, int depth) {
  if (depth > kMaxNesting)
    tokens.fail_at(tokens.peek().offset, fmt::format("found a type nested over {} deep, expected less", kMaxNesting));
  if (tokens.accept("?")) return {};
  const Token word = tokens.peek();
  if (word.kind != Token::Kind::identifier || !is_type_word(word.text)) tokens.fail_expected("a type");
  if (element_type_named(word.text) || word.text == "undefined") return parse_tensor_type(tokens);
  tokens.next();
  tokens.expect("(");
  Type type;
  if (word.text == "opaque") {
    type.kind = Type::Kind::opaque;
    skip_opaque_name(tokens);
  } else if (word.text == "sparse_tensor") {
    type = parse_tensor_type(tokens);
    type.kind = Type::Kind::sparse_tensor;
  } else if (word.text == "map") {
    const ElementType key = parse_element_type(tokens);
    tokens.expect(",");
    type = Type::container(Type::Kind::map, parse_nested_type(tokens, depth + 1));
    type.element = key;
  } else {
    const Type::Kind kind = word.text == "seq" ? Type::Kind::sequence : Type::Kind::optional;
    type = Type::container(kind, parse_nested_type(tokens, depth + 1));
  }
  tokens.expect(")");
  return type;
}

/// The dimensions of a literal that begins at the next word; refuses more elements than the text left can spell.
Dims literal_dims(const TokenStream& tokens, const Type& type) {
  if (!type.is_static_tensor() || type.element == ElementType::undefined)
    tokens.fail_at(tokens.peek().offset,
                   "found elements of a tensor, expected a type with numbers for dimensions before them");
  Dims dims;
  bool empty = false;
  for (const Dim d : type.shape) {
    if (d.value() < 0)
      tokens.fail_at(tokens.peek().offset, fmt::format("found dimension {}, expected none below 0", d.value()));
    dims.push_back(d.value());
    empty = empty || d.value() == 0;
  }
  const auto most = static_cast<std::int64_t>(tokens.left());
  std::int64_t count = 1;
  for (const std::int64_t d : dims) {
    if (!empty && d > most / count)
      tokens.fail_at(tokens.peek().offset, "found fewer elements than the dimensions ask for, expected all of them");
    if (!empty) count *= d;
  }
  return dims;
}

void parse_strings(TokenStream& tokens, std::span<std::string> elements) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i > 0) tokens.expect(",");
    elements[i] = tokens.string("a string");
  }
}

void parse_numbers(TokenStream& tokens, ElementType type, std::size_t count, std::span<std::byte> bytes) {
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) tokens.expect(",");
    const std::optional<std::uint64_t> bits = element_bits(type, tokens.peek());
    if (!bits) tokens.fail_expected(fmt::format("an element of type {}", name_of(type)));
    tokens.next();
    store_bits(bytes, bit_width(type), i, *bits);
  }
}

}  // namespace

bool at_type(const TokenStream& tokens) {
  const Token& token = tokens.peek();
  return token.is_symbol("?") || (token.kind == Token::Kind::identifier && is_type_word(token.text));
}

Type parse_type(TokenStream& tokens) { return parse_nested_type(tokens, 0); }

Tensor parse_elements(TokenStream& tokens, const Type& type) {
  if (tokens.peek().is_symbol("["))
    tokens.fail_expected("elements in the text itself ('{'); external data is not read");
  Tensor tensor = Tensor::zeros(type.element, literal_dims(tokens, type));
  tokens.expect("{");
  if (type.element == ElementType::string) {
    parse_strings(tokens, tensor.write<std::string>());
  } else {
    const std::size_t count = tensor.count() * written_per_element(type.element);
    parse_numbers(tokens, written_type(type.element), count, tensor.write_bytes());
  }
  tokens.accept(",");
  tokens.expect("}");
  return tensor;
}

Tensor parse_tensor(TokenStream& tokens) {
  const Type type = parse_type(tokens);
  TensorOrigin origin;
  if (tokens.at_name()) origin.name = tokens.name("the name of a tensor");
  tokens.accept("=");
  const Tensor tensor = parse_elements(tokens, type);
  return origin.name.empty() ? tensor : tensor.with_origin(std::make_shared<const TensorOrigin>(std::move(origin)));
}

float parse_float(TokenStream& tokens) {
  const std::optional<std::uint64_t> bits = element_bits(ElementType::float32, tokens.peek());
  if (!bits) tokens.fail_expected("a number");
  tokens.next();
  return std::bit_cast<float>(static_cast<std::uint32_t>(*bits));
}

}  // namespace hone
