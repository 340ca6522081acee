#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

namespace hone {

/// A computed number as an element: reals round to nearest, integers too and stop at the ends of their range.
template <class T>
T rounded(double value) {
  if constexpr (std::is_same_v<T, double>) return value;
  else if constexpr (std::is_integral_v<T>) {
    constexpr T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    if (!(value > static_cast<double>(low))) return low;
    return value >= static_cast<double>(high) ? high : static_cast<T>(std::nearbyint(value));
  } else {
    return T(static_cast<float>(value));
  }
}

}  // namespace hone
