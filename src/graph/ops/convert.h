#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <type_traits>

#include "graph/ir/tensor.h"

namespace hone {

/// How values that a narrow float format does not have are stored in it.
struct NarrowRounding {
  enum class Overflow { saturate, special };  // to the largest number, or to infinity or NaN
  enum class PowerOfTwo { up, down, nearest };

  Overflow overflow = Overflow::saturate;
  PowerOfTwo power = PowerOfTwo::up;  // for float8e8m0, whose numbers are the powers of two

  friend bool operator==(const NarrowRounding&, const NarrowRounding&) = default;
};

/// The float from which rounding to a half gives what rounding `value` to it directly would.
inline float rounded_to_odd(double value) {
  float rounded = static_cast<float>(value);
  if (!std::isfinite(rounded) || static_cast<double>(rounded) == value) return rounded;
  // Of the two floats around the value, the one whose last bit is 1 remembers that something was cut off.
  if (std::fabs(static_cast<double>(rounded)) > std::fabs(value)) rounded = std::nextafterf(rounded, 0.0f);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(rounded) | 1u);
}

/// A number as T: floats round to nearest even, integers truncate and wrap, bool is value != 0.
template <class T>
T convert(double value) {
  if constexpr (std::is_same_v<T, bool>) return value != 0;
  else if constexpr (std::is_integral_v<T>) return static_cast<T>(to_integer(value));
  else if constexpr (std::is_floating_point_v<T>) return static_cast<T>(value);
  else return T(rounded_to_odd(value));
}

// Elements first, first + 1, ... of a tensor of any real element type, sub-byte and 8-bit floats included.
void read_numbers(const Tensor& tensor, std::size_t first, std::span<double> numbers);
void write_numbers(Tensor& tensor, std::size_t first, std::span<const double> numbers, NarrowRounding rounding = {});

/// All elements of a tensor of any real element type.
std::vector<double> numbers_of(const Tensor& tensor);

/// The tensor with its elements converted to another real element type.
Tensor converted(const Tensor& tensor, ElementType type, NarrowRounding rounding = {});

}  // namespace hone
