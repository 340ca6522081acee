#pragma once

#include <span>

namespace hone {

/// Mean and variance of numbers, the variance around the mean and divided by their count.
struct Moments {
  double mean = 0;
  double variance = 0;
};

inline Moments moments_of(std::span<const double> numbers) {
  double sum = 0, squares = 0;
  for (const double x : numbers) sum += x;
  const auto count = static_cast<double>(numbers.size());
  const double mean = sum / count;
  for (const double x : numbers) squares += (x - mean) * (x - mean);
  return {mean, squares / count};
}

}  // namespace hone
