#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/small_vector.h"
#include "graph/ir/dim.h"
#include "graph/ir/element_type.h"

namespace hone {

/// Dimensions of a tensor whose rank is known.
using Shape = SmallVector<Dim, 4>;

/// Product of the dimensions; unknown when one of them is.
Dim element_count(const Shape& shape);
/// True when every dimension is a number.
bool is_static(const Shape& shape);
/// `[batch,3,224,224]`.
std::string text_of(const Shape& shape);

/// Type of a value: a tensor with what is known of its shape, or one of ONNX's containers.
struct Type {
  enum class Kind : std::uint8_t { unknown, tensor, sparse_tensor, sequence, optional, map, opaque };

  Kind kind = Kind::unknown;
  ElementType element = ElementType::undefined;  // of tensors; key type of a map
  bool ranked = false;                           // whether `shape` says anything
  Shape shape;
  std::shared_ptr<const Type> inner;  // element of a sequence or optional, value of a map

  static Type tensor(ElementType element) {
    return {.kind = Kind::tensor, .element = element, .ranked = false, .shape = {}, .inner = {}};
  }
  static Type tensor(ElementType element, Shape shape) {
    return {.kind = Kind::tensor, .element = element, .ranked = true, .shape = std::move(shape), .inner = {}};
  }
  static Type container(Kind kind, Type inner) {
    return {.kind = kind,
            .element = ElementType::undefined,
            .ranked = false,
            .shape = {},
            .inner = std::make_shared<const Type>(std::move(inner))};
  }

  bool is_tensor() const { return kind == Kind::tensor; }
  /// A tensor with every dimension a number.
  bool is_static_tensor() const { return is_tensor() && ranked && is_static(shape); }

  friend bool operator==(const Type& a, const Type& b);
};

/// Bytes one tensor of this type takes; nullopt unless static and of fixed-width elements.
std::optional<std::uint64_t> byte_size(const Type& type);
/// `float[N,3]`, `seq(int64[])`, `?`.
std::string text_of(const Type& type);

}  // namespace hone
