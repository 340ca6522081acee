#include "base/half.h"

#include <algorithm>
#include <limits>

namespace hone {
namespace {

using Specials = NarrowFloatFormat::Specials;

/// Code of the largest finite number.
std::uint32_t largest_finite(const NarrowFloatFormat& format) {
  const std::uint32_t all_ones = (1u << (format.exponent_bits + format.mantissa_bits)) - 1;
  switch (format.specials) {
    case Specials::ieee: return all_ones - (1u << format.mantissa_bits);
    case Specials::nan_only: return all_ones - 1;
    case Specials::nan_is_negative_zero:
    case Specials::none: return all_ones;
  }
  return all_ones;
}

std::uint32_t nan_code(const NarrowFloatFormat& format) {
  const int width = format.exponent_bits + format.mantissa_bits;
  switch (format.specials) {
    case Specials::ieee: return (1u << width) - 1;
    case Specials::nan_only: return (1u << width) - 1;
    case Specials::nan_is_negative_zero: return 1u << width;
    case Specials::none: return 0;
  }
  return 0;
}

}  // namespace

std::uint32_t encode_narrow(double value, const NarrowFloatFormat& format, bool saturate) {
  const std::uint32_t sign = std::signbit(value) ? 1u << (format.exponent_bits + format.mantissa_bits) : 0;
  if (std::isnan(value))
    return format.specials == Specials::nan_is_negative_zero ? nan_code(format) : nan_code(format) | sign;
  const double magnitude = std::fabs(value);
  const std::uint32_t largest = largest_finite(format);
  std::uint32_t code = magnitude == 0 ? 0 : largest + 1;
  if (magnitude != 0 && std::isfinite(magnitude)) {
    // Codes of one sign are ordered like their values, so rounding up into the next binade is a plain carry.
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    const int stored = std::max(exponent - 1 + format.bias, 1);
    const double unit = std::ldexp(1.0, stored - format.bias - format.mantissa_bits);
    const double steps = std::nearbyint(magnitude / unit);
    const double base = std::ldexp(static_cast<double>(stored - 1), format.mantissa_bits);
    code = static_cast<std::uint32_t>(std::min(base + steps, static_cast<double>(largest) + 1));
  }
  if (code > largest) {
    if (saturate || format.specials == Specials::none) code = largest;
    else if (format.specials == Specials::ieee) code = largest + 1;
    else return format.specials == Specials::nan_is_negative_zero ? nan_code(format) : nan_code(format) | sign;
  }
  const bool no_negative_zero = format.specials == Specials::nan_is_negative_zero && code == 0;
  return no_negative_zero ? 0 : code | sign;
}

float decode_narrow(std::uint32_t code, const NarrowFloatFormat& format) {
  const int width = format.exponent_bits + format.mantissa_bits;
  const std::uint32_t magnitude = code & ((1u << width) - 1);
  const float sign = (code >> width) & 1 ? -1.0f : 1.0f;
  if (format.specials == Specials::nan_is_negative_zero && code == (1u << width))
    return std::numeric_limits<float>::quiet_NaN();
  const std::uint32_t largest = largest_finite(format);
  if (magnitude > largest) {
    const bool infinity = format.specials == Specials::ieee && magnitude == largest + 1;
    return infinity ? sign * std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  }
  const auto stored = static_cast<int>(magnitude >> format.mantissa_bits);
  const auto fraction = static_cast<double>(magnitude & ((1u << format.mantissa_bits) - 1));
  const double implicit = stored == 0 ? 0.0 : std::ldexp(1.0, format.mantissa_bits);
  return sign *
         static_cast<float>(std::ldexp(implicit + fraction, std::max(stored, 1) - format.bias - format.mantissa_bits));
}

}  // namespace hone
