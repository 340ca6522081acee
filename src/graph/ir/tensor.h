#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/half.h"
#include "base/known_hash.h"
#include "base/small_vector.h"
#include "graph/ir/element_type.h"
#include "graph/ir/notes.h"
#include "graph/ir/type.h"

namespace hone {

using Dims = SmallVector<std::int64_t, 4>;

/// Number of elements; throws InputError when the product overflows or a dimension is negative.
std::int64_t element_count(const Dims& dims);

/// Format of the floating types of 8 and 4 bits; null for all others (float8e8m0, which is a bare exponent, too).
const NarrowFloatFormat* narrow_float_format(ElementType type);
/// Truncates like a C cast but is defined for every double: NaN gives 0, what is out of range wraps or saturates.
std::int64_t to_integer(double value);

/// How a tensor was written in the file it came from, so that it can be written the same way again.
struct TensorOrigin {
  enum class Encoding { raw, typed, external };

  std::string name;
  Encoding encoding = Encoding::raw;
  SharedNotes notes;
  std::filesystem::path external_file;  // absolute, for external tensors
  std::uint64_t external_offset = 0;
};

namespace detail {
template <class T>
constexpr ElementType element_type_of();
template <>
constexpr ElementType element_type_of<float>() {
  return ElementType::float32;
}
template <>
constexpr ElementType element_type_of<double>() {
  return ElementType::float64;
}
template <>
constexpr ElementType element_type_of<Float16>() {
  return ElementType::float16;
}
template <>
constexpr ElementType element_type_of<BFloat16>() {
  return ElementType::bfloat16;
}
template <>
constexpr ElementType element_type_of<std::int8_t>() {
  return ElementType::int8;
}
template <>
constexpr ElementType element_type_of<std::int16_t>() {
  return ElementType::int16;
}
template <>
constexpr ElementType element_type_of<std::int32_t>() {
  return ElementType::int32;
}
template <>
constexpr ElementType element_type_of<std::int64_t>() {
  return ElementType::int64;
}
template <>
constexpr ElementType element_type_of<std::uint8_t>() {
  return ElementType::uint8;
}
template <>
constexpr ElementType element_type_of<std::uint16_t>() {
  return ElementType::uint16;
}
template <>
constexpr ElementType element_type_of<std::uint32_t>() {
  return ElementType::uint32;
}
template <>
constexpr ElementType element_type_of<std::uint64_t>() {
  return ElementType::uint64;
}
template <>
constexpr ElementType element_type_of<bool>() {
  return ElementType::boolean;
}
template <>
constexpr ElementType element_type_of<std::string>() {
  return ElementType::string;
}
}  // namespace detail

/// The ElementType whose elements are stored as T. (Complex and sub-byte types have no T; use bytes().)
template <class T>
inline constexpr ElementType kElementType = detail::element_type_of<T>();

class DeferredContents;

/// An immutable dense array that shares its bytes with its copies: a slice of a mapped file, its own memory, or what is
/// computed when first asked for.
///
/// A fresh tensor from `zeros` may be filled through `write` as long as nobody else holds it.
class Tensor {
 public:
  Tensor() = default;

  /// Own memory, all bits zero. Throws InputError when the size overflows.
  static Tensor zeros(ElementType type, Dims dims);
  /// A copy of the given elements.
  template <class T>
  static Tensor of(std::span<const T> elements, Dims dims) {
    Tensor tensor = zeros(kElementType<T>, std::move(dims));
    HONE_CHECK(elements.size() == tensor.count(), "{} elements for {}", elements.size(), tensor.count());
    std::copy(elements.begin(), elements.end(), tensor.write<T>().begin());
    return tensor;
  }
  template <class T>
  static Tensor of(std::initializer_list<T> elements, Dims dims) {
    return of(std::span<const T>(elements.begin(), elements.size()), std::move(dims));
  }
  template <class T>
  static Tensor scalar(T value) {
    return of<T>({value}, {});
  }
  static Tensor vector(std::span<const std::int64_t> elements) {
    return of(elements, {static_cast<std::int64_t>(elements.size())});
  }
  /// A view of bytes that `owner` keeps alive. `bytes` must have the size the type and dims ask for.
  static Tensor view(ElementType type, Dims dims, std::span<const std::byte> bytes, std::shared_ptr<const void> owner);
  /// What `compute` will give, a tensor of this type and these dims, once somebody asks for contents: many rewrites of
  /// weights are looked at and never run. Two with equal `likeness` have equal contents.
  static Tensor deferred(ElementType type, Dims dims, std::uint64_t likeness, std::function<Tensor()> compute);

  ElementType type() const { return type_; }
  const Dims& dims() const { return dims_; }
  std::size_t rank() const { return dims_.size(); }
  std::int64_t dim(std::size_t axis) const { return dims_[axis]; }
  std::size_t count() const { return count_; }
  Shape shape() const;

  /// Stored bytes, packed for sub-byte types; empty for strings.
  std::span<const std::byte> bytes() const { return deferred_ ? deferred_bytes() : bytes_; }
  /// How many these are, which is known without computing them.
  std::size_t byte_count() const;
  std::span<const std::string> strings() const;

  /// Elements as T; the tensor must hold T and be aligned (see `aligned`).
  template <class T>
  std::span<const T> values() const {
    check_access(kElementType<T>);
    if constexpr (std::is_same_v<T, std::string>) return strings();
    else return {reinterpret_cast<const T*>(bytes().data()), count_};
  }
  template <class T>
  std::span<T> write() {
    check_access(kElementType<T>);
    begin_write();
    if constexpr (std::is_same_v<T, std::string>) return const_string_span();
    else return {reinterpret_cast<T*>(const_cast<std::byte*>(bytes_.data())), count_};
  }
  std::span<std::byte> write_bytes() {
    begin_write();
    return {const_cast<std::byte*>(bytes_.data()), bytes_.size()};
  }

  /// Any real numeric element (sub-byte, 8-bit float, bool included) as a double; slow, for code that is not a loop
  /// body.
  double number_at(std::size_t index) const;
  /// Any integer or bool element, or a truncated real one.
  std::int64_t integer_at(std::size_t index) const;
  /// All elements as integers.
  std::vector<std::int64_t> integers() const;
  /// Stores a number into an element of any numeric type: floats round to nearest even, integers wrap, bool is x != 0.
  void set_number(std::size_t index, double value);

  /// The same elements under other dimensions with the same count; shares the bytes.
  Tensor reshaped(Dims dims) const;
  /// The same tensor with its elements aligned for their type and every bool 0 or 1; a copy only when the file had them
  /// otherwise.
  Tensor aligned() const;

  const std::shared_ptr<const TensorOrigin>& origin() const { return origin_; }
  Tensor with_origin(std::shared_ptr<const TensorOrigin> origin) const;

  /// Hash of type, dims and contents. Computed once: weights are asked for theirs by every clean-up.
  std::uint64_t content_hash() const;
  /// The same, but for contents that are still to be computed, of which it says what they will be: equal only for equal
  /// tensors.
  std::uint64_t likeness() const;
  /// Same type, dims and contents; floats by bits.
  friend bool operator==(const Tensor& a, const Tensor& b);

 private:
  void check_access(ElementType wanted) const;
  void begin_write();
  std::span<const std::byte> deferred_bytes() const;
  std::span<std::string> const_string_span();

  ElementType type_ = ElementType::undefined;
  Dims dims_;
  std::size_t count_ = 0;
  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;                 // of the bytes; a std::vector<std::string> for strings
  std::shared_ptr<const DeferredContents> deferred_;  // instead of both
  std::shared_ptr<const TensorOrigin> origin_;
  mutable KnownHash hash_;
};

/// Calls `visit` with a value of the C++ type that stores elements of `type`: visit(float{}), visit(std::int8_t{}), ...
/// Throws InputError for types without one (complex, sub-byte, 8-bit floats, strings).
template <class Visitor>
decltype(auto) dispatch_number(ElementType type, Visitor&& visit) {
  switch (type) {
    case ElementType::float32: return visit(float{});
    case ElementType::float64: return visit(double{});
    case ElementType::float16: return visit(Float16{});
    case ElementType::bfloat16: return visit(BFloat16{});
    case ElementType::int8: return visit(std::int8_t{});
    case ElementType::int16: return visit(std::int16_t{});
    case ElementType::int32: return visit(std::int32_t{});
    case ElementType::int64: return visit(std::int64_t{});
    case ElementType::uint8: return visit(std::uint8_t{});
    case ElementType::uint16: return visit(std::uint16_t{});
    case ElementType::uint32: return visit(std::uint32_t{});
    case ElementType::uint64: return visit(std::uint64_t{});
    case ElementType::boolean: return visit(bool{});
    default: fail("element type {} is not supported here", name_of(type));
  }
}

/// The same for the real floating types only.
template <class Visitor>
decltype(auto) dispatch_float(ElementType type, Visitor&& visit) {
  switch (type) {
    case ElementType::float32: return visit(float{});
    case ElementType::float64: return visit(double{});
    case ElementType::float16: return visit(Float16{});
    case ElementType::bfloat16: return visit(BFloat16{});
    default: fail("element type {} is not supported here", name_of(type));
  }
}

}  // namespace hone
