#pragma once

#include <cstddef>
#include <limits>

namespace hone {

/// The sum that every other is below.
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// least[i] = min(least[i], base + row[i]): the inner loop of everything here, in the form compilers make vectors of.
inline void lower_to_sum(double* __restrict least, double base, const double* __restrict row, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const double sum = base + row[i];
    least[i] = sum < least[i] ? sum : least[i];
  }
}

}  // namespace hone
