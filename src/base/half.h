#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace hone {

/// Layout of a floating-point format narrower than 32 bits.
struct NarrowFloatFormat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  enum class Specials {
    ieee,                  // infinities and NaNs in the top exponent
    nan_only,              // all ones is NaN, no infinity ("fn")
    nan_is_negative_zero,  // 0x80 is NaN, no infinity, no negative zero ("fnuz")
    none,                  // every code is a number
  } specials;
};

/// Nearest code (ties to even); out of range saturates to the largest finite number when `saturate`, else to
/// infinity, or NaN where the format has none.
std::uint32_t encode_narrow(double value, const NarrowFloatFormat& format, bool saturate);
float decode_narrow(std::uint32_t code, const NarrowFloatFormat& format);

/// IEEE half precision as stored; arithmetic happens in float.
struct Float16 {
  std::uint16_t bits = 0;
  Float16() = default;
  Float16(float value) : bits(encode(value)) {}  // NOLINT: behaves as a number
  operator float() const { return decode(bits); }

  static std::uint16_t encode(float value) {
    const std::uint32_t word = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((word >> 16) & 0x8000);
    const std::uint32_t magnitude = word & 0x7FFFFFFF;
    if (magnitude > 0x7F800000) return sign | 0x7E00;   // NaN
    if (magnitude >= 0x477FF000) return sign | 0x7C00;  // rounds to infinity
    if (magnitude < 0x38800000) {                       // subnormal: let the adder round at 2^-24
      const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
      return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3F000000));
    }
    const std::uint32_t rounded = magnitude - 0x38000000 + 0xFFF + ((magnitude >> 13) & 1);
    return static_cast<std::uint16_t>(sign | (rounded >> 13));
  }
  static float decode(std::uint16_t bits) {
    const std::uint32_t sign = std::uint32_t{bits & 0x8000u} << 16;
    const std::uint32_t magnitude = bits & 0x7FFFu;
    if (magnitude >= 0x7C00) return std::bit_cast<float>(sign | 0x7F800000 | ((magnitude & 0x3FF) << 13));
    if (magnitude < 0x0400) {
      const float value = static_cast<float>(magnitude) * 0x1.0p-24f;
      return sign != 0 ? -value : value;
    }
    return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000));
  }
};

/// The upper half of a float.
struct BFloat16 {
  std::uint16_t bits = 0;
  BFloat16() = default;
  BFloat16(float value) : bits(encode(value)) {}  // NOLINT: behaves as a number
  operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

  static std::uint16_t encode(float value) {
    std::uint32_t word = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value)) return static_cast<std::uint16_t>((word >> 16) | 0x40);
    word += 0x7FFF + ((word >> 16) & 1);
    return static_cast<std::uint16_t>(word >> 16);
  }
};

}  // namespace hone
