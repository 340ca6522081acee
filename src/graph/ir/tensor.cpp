#include "graph/ir/tensor.h"

#include <cmath>
#include <cstring>
#include <mutex>

#include "base/hash.h"

namespace hone {

const NarrowFloatFormat* narrow_float_format(ElementType type) {
  using Specials = NarrowFloatFormat::Specials;
  static constexpr NarrowFloatFormat kE4M3fn{4, 3, 7, Specials::nan_only};
  static constexpr NarrowFloatFormat kE4M3fnuz{4, 3, 8, Specials::nan_is_negative_zero};
  static constexpr NarrowFloatFormat kE5M2{5, 2, 15, Specials::ieee};
  static constexpr NarrowFloatFormat kE5M2fnuz{5, 2, 16, Specials::nan_is_negative_zero};
  static constexpr NarrowFloatFormat kE2M1{2, 1, 1, Specials::none};
  switch (type) {
    case ElementType::float8e4m3fn: return &kE4M3fn;
    case ElementType::float8e4m3fnuz: return &kE4M3fnuz;
    case ElementType::float8e5m2: return &kE5M2;
    case ElementType::float8e5m2fnuz: return &kE5M2fnuz;
    case ElementType::float4e2m1: return &kE2M1;
    default: return nullptr;
  }
}

std::int64_t to_integer(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 0x1.0p63)
    return value < 0x1.0p64 ? static_cast<std::int64_t>(static_cast<std::uint64_t>(value)) : INT64_MAX;
  return value < -0x1.0p63 ? INT64_MIN : static_cast<std::int64_t>(value);
}

namespace {

std::size_t stored_bytes(ElementType type, std::size_t count) {
  const auto bits = static_cast<unsigned __int128>(count) * static_cast<unsigned>(bit_width(type));
  if (bits > (static_cast<unsigned __int128>(1) << 62)) fail("tensor of over 2^59 bytes");
  return static_cast<std::size_t>((bits + 7) / 8);
}

/// Raw code of a sub-byte or byte-wide element.
std::uint32_t code_at(std::span<const std::byte> bytes, ElementType type, std::size_t index) {
  const auto bits = static_cast<std::size_t>(bit_width(type));
  const std::size_t per_byte = 8 / bits;
  const auto byte = std::to_integer<std::uint32_t>(bytes[index / per_byte]);
  return (byte >> (bits * (index % per_byte))) & ((1u << bits) - 1);
}

void set_code(std::span<std::byte> bytes, ElementType type, std::size_t index, std::uint32_t code) {
  const auto bits = static_cast<std::size_t>(bit_width(type));
  const std::size_t per_byte = 8 / bits;
  const std::size_t shift = bits * (index % per_byte);
  const std::uint32_t mask = ((1u << bits) - 1) << shift;
  auto byte = std::to_integer<std::uint32_t>(bytes[index / per_byte]);
  byte = (byte & ~mask) | ((code << shift) & mask);
  bytes[index / per_byte] = static_cast<std::byte>(byte);
}

bool is_packed_integer(ElementType type) { return is_integer(type) && bit_width(type) < 8; }

bool has_cpp_type(ElementType type) {
  return bit_width(type) >= 8 && !is_complex(type) && narrow_float_format(type) == nullptr &&
         type != ElementType::float8e8m0;
}

}  // namespace

std::int64_t element_count(const Dims& dims) {
  __int128 count = 1;
  for (const std::int64_t d : dims) {
    if (d < 0) fail("tensor has a negative dimension {}", d);
    count *= d;
    if (count > (std::int64_t{1} << 60)) fail("tensor of over 2^60 elements");
  }
  return static_cast<std::int64_t>(count);
}

Tensor Tensor::zeros(ElementType type, Dims dims) {
  Tensor tensor;
  tensor.type_ = type;
  tensor.count_ = static_cast<std::size_t>(element_count(dims));
  tensor.dims_ = std::move(dims);
  try {
    if (type == ElementType::string) {
      tensor.owner_ = std::make_shared<std::vector<std::string>>(tensor.count_);
    } else {
      const std::size_t size = stored_bytes(type, tensor.count_);
      // At least one byte, so that an empty tensor is still told apart from a missing one.
      const std::shared_ptr<std::byte[]> memory(new std::byte[size + 1]());
      tensor.bytes_ = {memory.get(), size};
      tensor.owner_ = memory;
    }
  } catch (const std::length_error&) {
    fail("tensor of {} strings is too long", tensor.count_);
  } catch (const std::bad_alloc&) {
    fail("out of memory for a tensor of {} elements of {}", tensor.count_, name_of(type));
  }
  return tensor;
}

Tensor Tensor::view(ElementType type, Dims dims, std::span<const std::byte> bytes, std::shared_ptr<const void> owner) {
  Tensor tensor;
  tensor.type_ = type;
  tensor.count_ = static_cast<std::size_t>(element_count(dims));
  tensor.dims_ = std::move(dims);
  HONE_CHECK(bytes.size() == stored_bytes(type, tensor.count_));
  tensor.bytes_ = bytes;
  tensor.owner_ = std::move(owner);
  return tensor;
}

/// Computed once, by whoever asks first.
class DeferredContents {
 public:
  DeferredContents(std::uint64_t likeness, std::function<Tensor()> compute)
      : likeness_(likeness), compute_(std::move(compute)) {}

  std::uint64_t likeness() const { return likeness_; }
  const Tensor& tensor() const {
    std::call_once(asked_, [this] {
      computed_ = compute_();
      compute_ = nullptr;  // with what it was computed from
    });
    return computed_;
  }

 private:
  std::uint64_t likeness_;
  mutable std::once_flag asked_;
  mutable std::function<Tensor()> compute_;
  mutable Tensor computed_;
};

Tensor Tensor::deferred(ElementType type, Dims dims, std::uint64_t likeness, std::function<Tensor()> compute) {
  HONE_CHECK(type != ElementType::string && type != ElementType::boolean, "contents whose bytes may be of any form");
  Tensor tensor;
  tensor.type_ = type;
  tensor.count_ = static_cast<std::size_t>(element_count(dims));
  tensor.dims_ = std::move(dims);
  tensor.deferred_ = std::make_shared<const DeferredContents>(likeness, std::move(compute));
  return tensor;
}

std::span<const std::byte> Tensor::deferred_bytes() const {
  const Tensor& computed = deferred_->tensor();
  if (computed.type_ != type_ || computed.count_ != count_) fail("a constant has other dims than its type says");
  return computed.bytes();
}

std::size_t Tensor::byte_count() const { return deferred_ ? stored_bytes(type_, count_) : bytes_.size(); }

Shape Tensor::shape() const {
  Shape shape;
  for (const std::int64_t d : dims_) shape.push_back(d);
  return shape;
}

std::span<const std::string> Tensor::strings() const {
  check_access(ElementType::string);
  return *std::static_pointer_cast<const std::vector<std::string>>(owner_);
}

std::span<std::string> Tensor::const_string_span() {
  return *std::const_pointer_cast<std::vector<std::string>>(
      std::static_pointer_cast<const std::vector<std::string>>(owner_));
}

void Tensor::check_access(ElementType wanted) const {
  if (type_ != wanted) fail("expected elements of type {}, found {}", name_of(wanted), name_of(type_));
  const auto alignment = static_cast<std::size_t>(bit_width(wanted) / 8);
  HONE_CHECK(alignment == 0 || reinterpret_cast<std::uintptr_t>(bytes().data()) % alignment == 0, "unaligned tensor");
}

void Tensor::begin_write() {
  HONE_CHECK(owner_.use_count() == 1, "write to a shared tensor");
  hash_.forget();
}

double Tensor::number_at(std::size_t index) const {
  if (type_ == ElementType::boolean) return static_cast<double>(integer_at(index));
  if (const NarrowFloatFormat* format = narrow_float_format(type_))
    return decode_narrow(code_at(bytes(), type_, index), *format);
  if (type_ == ElementType::float8e8m0) {
    const std::uint32_t code = code_at(bytes(), type_, index);
    return code == 255 ? std::nan("") : std::ldexp(1.0, static_cast<int>(code) - 127);
  }
  if (is_packed_integer(type_)) return static_cast<double>(integer_at(index));
  return dispatch_number(type_, [&](auto zero) -> double {
    using T = decltype(zero);
    T value;
    std::memcpy(&value, bytes().data() + index * sizeof(T), sizeof(T));
    return static_cast<double>(value);
  });
}

std::int64_t Tensor::integer_at(std::size_t index) const {
  // A file may hold any byte where a bool belongs.
  if (type_ == ElementType::boolean) return bytes()[index] != std::byte{0} ? 1 : 0;
  const int bits = bit_width(type_);
  if (is_packed_integer(type_)) {
    const auto code = static_cast<std::int64_t>(code_at(bytes(), type_, index));
    const bool negative = is_signed_integer(type_) && (code >> (bits - 1)) != 0;
    return negative ? code - (std::int64_t{1} << bits) : code;
  }
  if (!has_cpp_type(type_)) return to_integer(number_at(index));
  return dispatch_number(type_, [&](auto zero) -> std::int64_t {
    using T = decltype(zero);
    T value;
    std::memcpy(&value, bytes().data() + index * sizeof(T), sizeof(T));
    if constexpr (std::is_integral_v<T>) return static_cast<std::int64_t>(value);
    else return to_integer(static_cast<double>(value));
  });
}

std::vector<std::int64_t> Tensor::integers() const {
  std::vector<std::int64_t> all(count_);
  for (std::size_t i = 0; i < count_; ++i) all[i] = integer_at(i);
  return all;
}

void Tensor::set_number(std::size_t index, double value) {
  const std::span<std::byte> target = write_bytes();
  if (const NarrowFloatFormat* format = narrow_float_format(type_)) {
    set_code(target, type_, index, encode_narrow(value, *format, true));
  } else if (type_ == ElementType::float8e8m0) {
    // There is no sign and no zero: negative numbers are not representable, zero becomes the smallest power of two.
    const double exponent = value >= 0 ? std::clamp(std::nearbyint(std::log2(value)) + 127, 0.0, 254.0) : 255;
    set_code(target, type_, index, static_cast<std::uint32_t>(exponent));
  } else if (is_packed_integer(type_)) {
    set_code(target, type_, index, static_cast<std::uint32_t>(to_integer(value)));
  } else {
    dispatch_number(type_, [&](auto zero) {
      using T = decltype(zero);
      T element;
      if constexpr (std::is_same_v<T, bool>) element = value != 0;
      else if constexpr (std::is_integral_v<T>) element = static_cast<T>(to_integer(value));
      else if constexpr (std::is_same_v<T, double>) element = value;
      else element = T(static_cast<float>(value));
      std::memcpy(target.data() + index * sizeof(T), &element, sizeof(T));
    });
  }
}

Tensor Tensor::reshaped(Dims dims) const {
  HONE_CHECK(static_cast<std::size_t>(element_count(dims)) == count_);
  Tensor tensor = *this;
  tensor.dims_ = std::move(dims);
  tensor.origin_ = nullptr;
  tensor.hash_.forget();
  return tensor;
}

Tensor Tensor::aligned() const {
  if (deferred_) return *this;  // in memory of its own
  if (type_ == ElementType::boolean && std::ranges::any_of(bytes_, [](std::byte b) { return b > std::byte{1}; })) {
    Tensor clean = zeros(type_, dims_);
    for (std::size_t i = 0; i < count_; ++i) clean.write_bytes()[i] = std::byte(integer_at(i));
    return clean.with_origin(origin_);
  }
  const auto alignment = static_cast<std::size_t>(bit_width(type_) / 8);
  if (alignment <= 1 || reinterpret_cast<std::uintptr_t>(bytes_.data()) % alignment == 0) return *this;
  Tensor copy = zeros(type_, dims_);
  std::memcpy(copy.write_bytes().data(), bytes_.data(), bytes_.size());
  copy.origin_ = origin_;
  return copy;
}

Tensor Tensor::with_origin(std::shared_ptr<const TensorOrigin> origin) const {
  Tensor tensor = *this;
  tensor.origin_ = std::move(origin);
  return tensor;
}

std::uint64_t Tensor::content_hash() const {
  return hash_.get([this] {
    std::uint64_t hash = mix(0, static_cast<std::uint64_t>(type_));
    for (const std::int64_t d : dims_) hash = mix(hash, static_cast<std::uint64_t>(d));
    if (type_ != ElementType::string) return hash_bytes(bytes(), hash);
    for (const std::string& s : strings()) hash = hash_text(s, hash);
    return hash;
  });
}

std::uint64_t Tensor::likeness() const {
  if (!deferred_) return content_hash();
  std::uint64_t hash = mix(deferred_->likeness(), static_cast<std::uint64_t>(type_));
  for (const std::int64_t d : dims_) hash = mix(hash, static_cast<std::uint64_t>(d));
  return hash;
}

bool operator==(const Tensor& a, const Tensor& b) {
  if (a.type_ != b.type_ || !(a.dims_ == b.dims_)) return false;
  if (a.type_ == ElementType::string) return std::ranges::equal(a.strings(), b.strings());
  if (a.deferred_ && a.deferred_ == b.deferred_) return true;
  return a.bytes().data() == b.bytes().data() || std::ranges::equal(a.bytes(), b.bytes());
}

}  // namespace hone
