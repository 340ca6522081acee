#include "formats/hlo/shape_reader.h"

#include <fmt/format.h>

namespace hone::hlo {
namespace {

constexpr int kMaxNesting = 64;  // of tuples; shapes are walked recursively
constexpr double kMaxElements = 0x1.0p62;

}  // namespace

ShapeId ShapeReader::read() { return read_nested(0); }

ShapeId ShapeReader::read_nested(int depth) {
  const bool is_tuple = cursor_.peek() == '(';
  const std::size_t begin = cursor_.position();
  if (depth > kMaxNesting) cursor_.fail_at(begin, fmt::format("tuples nested deeper than {}", kMaxNesting));
  return remember(begin, is_tuple ? read_tuple(depth) : read_array(depth));
}

ShapeId ShapeReader::remember(std::size_t begin, Shape shape) {
  const auto [place, is_new] = by_text_.emplace(cursor_.text_from(begin), ShapeId(shapes_.size()));
  if (is_new) shapes_.push_back(std::move(shape));
  return place->second;
}

Shape ShapeReader::read_tuple(int depth) {
  Shape shape{.type = PrimitiveType::tuple};
  cursor_.expect('(');
  while (cursor_.peek() != ')') {
    shape.elements.push_back(read_nested(depth + 1));
    if (!cursor_.accept(',')) break;
  }
  cursor_.expect(')');
  return shape;
}

Shape ShapeReader::read_array(int depth) {
  const std::size_t begin = cursor_.position();
  const std::string_view name = cursor_.name("a shape");
  const std::optional<PrimitiveType> type = primitive_type_named(name);
  if (!type) cursor_.fail_at(begin, fmt::format("'{}' is no element type, expected a shape such as f32[2,3]", name));
  Shape shape{.type = *type};
  if (*type == PrimitiveType::buffer) {  // b(f32[4]{0})
    cursor_.expect('(');
    shape.elements.push_back(read_nested(depth + 1));
    cursor_.expect(')');
    return shape;
  }
  cursor_.expect('[');
  while (cursor_.peek() != ']') {
    shape.dimensions.push_back(read_dimension());
    if (!cursor_.accept(',')) break;
  }
  cursor_.expect(']');
  if (element_count(shape) > kMaxElements) cursor_.fail_at(begin, "shape of more than 2^62 elements");
  if (cursor_.here() == '{') shape.layout = cursor_.bracketed();
  return shape;
}

Dimension ShapeReader::read_dimension() {
  Dimension dimension;
  if (cursor_.accept('?')) return {.size = Dimension::kUnbounded, .dynamic = true};
  if (cursor_.accept('<')) {
    cursor_.expect('=');
    dimension.dynamic = true;
  }
  const std::size_t position = cursor_.position();
  dimension.size = cursor_.integer("the size of a dimension");
  if (dimension.size < 0) cursor_.fail_at(position, fmt::format("dimension of size {}", dimension.size));
  return dimension;
}

}  // namespace hone::hlo
