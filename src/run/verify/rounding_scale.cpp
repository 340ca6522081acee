#include "run/verify/rounding_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/ops/convert.h"
#include "run/verify/compare.h"

namespace hone {
namespace {

// A correct rewriting rounds other weights, and some of them more than once; a few such units are its due. Of a million
// elements the worst lies about five times the typical one off, and the scale of one is itself known by few runs.
constexpr double kMostTypical = 4, kMostLargest = 32;
constexpr double kAsAccurate = 4;  // times the original's own errors

constexpr double kUnmoved = 0.125;       // of the typical scale, for an element that did not move in any run
constexpr double kSmallestShare = 0.06;  // of the typical magnitude, of which the last digit may always be off

double half_unit(ElementType type) {
  switch (type) {
    case ElementType::float16: return 0x1.0p-11;
    case ElementType::bfloat16: return 0x1.0p-8;
    default: return 0x1.0p-24;
  }
}

double root_mean(std::span<const double> squares) {
  double sum = 0;
  std::size_t count = 0;
  for (const double square : squares)
    if (std::isfinite(square)) sum += square, ++count;
  return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
}

/// Squares of a - b, or of a alone.
std::vector<double> squares_of(std::span<const double> a, std::span<const double> b = {}) {
  std::vector<double> squares(a.begin(), a.end());
  for (std::size_t i = 0; i < squares.size(); ++i) {
    const double number = b.empty() ? a[i] : a[i] - b[i];
    squares[i] = number * number;
  }
  return squares;
}

/// How many times its own movement an element may be thought to move, which few runs can have shown too small.
double doubt(std::size_t runs) {
  if (runs >= 4) return 4;
  return runs >= 2 ? 64 : std::numeric_limits<double>::infinity();
}

bool is_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

RoundingScale::RoundingScale(const Tensor& rounded, const Tensor& exact, std::span<const double> squares,
                             std::size_t runs)
    : rounded_(rounded), exact_(numbers_of(exact)), scale_(exact_.size()) {
  const double magnitude = root_mean(squares_of(exact_)), movement = root_mean(squares);
  const double unit = half_unit(rounded.type()), most = default_tolerance(rounded.type()).relative;
  for (std::size_t i = 0; i < scale_.size(); ++i) {
    const double own = std::sqrt(squares[i]);
    const double moved = own > 0 ? std::clamp(movement, own, doubt(runs) * own) : kUnmoved * movement;
    const double least = unit * std::max(std::fabs(exact_[i]), kSmallestShare * magnitude);
    const double cap = most / kMostLargest * (std::fabs(exact_[i]) + magnitude);
    const auto scale = static_cast<float>(std::max(std::min(moved, cap), least));
    scale_[i] = std::isfinite(scale) ? std::max(scale, std::numeric_limits<float>::denorm_min()) : 1;
  }
  own_ = errors_of(rounded);
  const double own_error = root_mean(squares_of(numbers_of(rounded), exact_));
  says_something_ = magnitude > 0 && std::max(kMostLargest * movement, kAsAccurate * own_error) <= most * magnitude;
}

double RoundingScale::error_at(std::size_t i, double number) const {
  constexpr double kRight = 1e-6;  // share by which a number may be off where the original has none
  const double original = rounded_.number_at(i);
  if (is_same(number, exact_[i])) return 0;
  if (std::isfinite(original) && std::isfinite(exact_[i])) {
    const double error = std::fabs(number - exact_[i]);
    return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
  }
  const bool right = std::isfinite(exact_[i]) && std::fabs(number - exact_[i]) <= kRight * std::fabs(exact_[i]);
  return is_same(number, original) || right ? 0 : std::numeric_limits<double>::infinity();
}

ErrorLevel RoundingScale::errors_of(const Tensor& result) const {
  const std::vector<double> numbers = numbers_of(result);
  ErrorLevel level;
  double sum = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double error = error_at(i, numbers[i]), units = error / static_cast<double>(scale_[i]);
    sum += units * units;
    level.largest = std::max(level.largest, units);
    level.absolute = std::max(level.absolute, error);
  }
  level.typical = numbers.empty() ? 0 : std::sqrt(sum / static_cast<double>(numbers.size()));
  return level;
}

bool is_exact(const ErrorLevel& errors) { return errors.typical <= kMostTypical && errors.largest <= kMostLargest; }

bool is_as_accurate(const RoundingScale& scale, const ErrorLevel& errors) {
  const ErrorLevel& own = scale.own_errors();
  constexpr double kUsualLargest = 8;  // times the typical error, of elements drawn from one distribution
  return errors.typical <= kAsAccurate * std::max(own.typical, 1.0) &&
         errors.largest <= kAsAccurate * std::max(own.largest, kUsualLargest);
}

}  // namespace hone
