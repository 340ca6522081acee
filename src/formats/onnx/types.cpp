#include "formats/onnx/types.h"

#include "base/error.h"
#include "formats/onnx/fields.h"

namespace hone::onnx {
namespace {

constexpr int kMaxTypeDepth = 32;

Type read_nested(Bytes message, int depth);

Dim read_dim(Bytes message) {
  Dim dim;
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == dim_field::value) {
      // Exporters write -1 (and worse) for "any size".
      const std::int64_t value = field->integer();
      dim = value >= 0 && value < (std::int64_t{1} << 61) ? Dim(value) : Dim();
    } else if (field->number == dim_field::param && !field->text().empty()) {
      dim = Dim::symbol(field->text());
    }
  }
  return dim;
}

/// TypeProto.Tensor and TypeProto.SparseTensor.
Type read_tensor_type(Bytes message, Type::Kind kind) {
  Type type{.kind = kind};
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == 1) {
      const std::int64_t element = field->integer();
      if (is_known_element_type(element)) type.element = static_cast<ElementType>(element);
    } else if (field->number == 2) {
      type.ranked = true;
      WireReader dims(field->message());
      while (const auto dim = dims.next())
        if (dim->number == 1) type.shape.push_back(read_dim(dim->message()));
    }
  }
  return type;
}

/// TypeProto.Sequence, .Optional and .Map: an element type, for maps after a key type.
Type read_container(Bytes message, Type::Kind kind, int depth) {
  Type type{.kind = kind};
  const std::uint32_t element_field = kind == Type::Kind::map ? 2 : 1;
  Type inner;
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == element_field) inner = read_nested(field->message(), depth + 1);
    else if (field->number == 1 && is_known_element_type(field->integer()))
      type.element = static_cast<ElementType>(field->integer());
  }
  type.inner = std::make_shared<const Type>(std::move(inner));
  return type;
}

Type read_nested(Bytes message, int depth) {
  if (depth > kMaxTypeDepth) fail("a type is nested more than {} deep", kMaxTypeDepth);
  Type type;
  WireReader reader(message);
  while (const auto field = reader.next()) {
    switch (field->number) {
      case type_field::tensor: type = read_tensor_type(field->message(), Type::Kind::tensor); break;
      case type_field::sparse_tensor: type = read_tensor_type(field->message(), Type::Kind::sparse_tensor); break;
      case type_field::sequence: type = read_container(field->message(), Type::Kind::sequence, depth); break;
      case type_field::optional: type = read_container(field->message(), Type::Kind::optional, depth); break;
      case type_field::map: type = read_container(field->message(), Type::Kind::map, depth); break;
      case type_field::opaque: type = Type{.kind = Type::Kind::opaque}; break;
      default: break;
    }
  }
  return type;
}

WireWriter write_tensor_type(const Type& type) {
  WireWriter encoded;
  encoded.integer(1, static_cast<std::int64_t>(type.element));
  if (!type.ranked) return encoded;
  WireWriter shape;
  for (const Dim d : type.shape) {
    WireWriter dim;
    if (d.known()) dim.integer(dim_field::value, d.value());
    else if (d.symbolic()) dim.text(dim_field::param, d.text());
    shape.message(1, std::move(dim));
  }
  encoded.message(2, std::move(shape));
  return encoded;
}

WireWriter write_container(const Type& type) {
  WireWriter encoded;
  if (type.kind == Type::Kind::map) encoded.integer(1, static_cast<std::int64_t>(type.element));
  encoded.message(type.kind == Type::Kind::map ? 2 : 1, write_type(*type.inner));
  return encoded;
}

}  // namespace

Type read_type(Bytes message) { return read_nested(message, 0); }

WireWriter write_type(const Type& type) {
  WireWriter encoded;
  switch (type.kind) {
    case Type::Kind::tensor: encoded.message(type_field::tensor, write_tensor_type(type)); break;
    case Type::Kind::sparse_tensor: encoded.message(type_field::sparse_tensor, write_tensor_type(type)); break;
    case Type::Kind::sequence: encoded.message(type_field::sequence, write_container(type)); break;
    case Type::Kind::optional: encoded.message(type_field::optional, write_container(type)); break;
    case Type::Kind::map: encoded.message(type_field::map, write_container(type)); break;
    case Type::Kind::opaque: encoded.message(type_field::opaque, WireWriter()); break;
    case Type::Kind::unknown: break;
  }
  return encoded;
}

ValueInfo read_value_info(Bytes message) {
  ValueInfo info;
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == value_info_field::name) info.name = field->text();
    if (field->number == value_info_field::type) info.type = read_type(field->message());
  }
  return info;
}

WireWriter write_value_info(std::string_view name, const Type& type) {
  WireWriter encoded;
  encoded.text(value_info_field::name, name);
  if (type.kind != Type::Kind::unknown) encoded.message(value_info_field::type, write_type(type));
  return encoded;
}

}  // namespace hone::onnx
