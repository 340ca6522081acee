#include "run/verify/compare.h"

#include <cmath>

#include "base/error.h"

namespace hone {
namespace {

std::string text_of_dims(const Dims& dims) { return fmt::format("[{}]", fmt::join(dims.begin(), dims.end(), ",")); }

Difference mismatch(std::string reason) { return {.within = false, .reason = std::move(reason), .cosine = 0}; }

Difference compare_strings(const Tensor& a, const Tensor& b) {
  for (std::size_t i = 0; i < a.count(); ++i)
    if (a.strings()[i] != b.strings()[i])
      return mismatch(fmt::format("element {} is '{}', expected '{}'", i, a.strings()[i], b.strings()[i]));
  return {};
}

Difference compare_complex(const Tensor& a, const Tensor& b) {
  return std::ranges::equal(a.bytes(), b.bytes()) ? Difference{} : mismatch("complex elements differ");
}

/// Sums for the cosine, kept apart from the element-wise check.
struct Angle {
  double dot = 0, a = 0, b = 0;
  void add(double x, double y) { dot += x * y, a += x * x, b += y * y; }
  double cosine() const { return a == 0 || b == 0 ? (a == b ? 1 : 0) : dot / std::sqrt(a * b); }
};

Difference compare_numbers(const Tensor& a, const Tensor& b, Tolerance tolerance) {
  Difference difference;
  Angle angle;
  for (std::size_t i = 0; i < a.count(); ++i) {
    const double x = a.number_at(i), y = b.number_at(i);
    const bool same = x == y || (std::isnan(x) && std::isnan(y));
    if (same && !std::isfinite(x)) continue;
    angle.add(x, y);
    if (same) continue;
    const double error = std::fabs(x - y);
    difference.max_absolute = std::max(difference.max_absolute, std::isnan(error) ? INFINITY : error);
    if (std::fabs(y) > tolerance.absolute)
      difference.max_relative = std::max(difference.max_relative, error / std::fabs(y));
    const bool close = error <= tolerance.absolute + tolerance.relative * std::fabs(y);
    if (close || !difference.within) continue;
    difference.within = false;
    difference.reason = fmt::format("element {} is {:.9g}, expected {:.9g}", i, x, y);
  }
  difference.cosine = angle.cosine();
  return difference;
}

Difference compare_tensors(const Tensor& a, const Tensor& b, std::optional<Tolerance> tolerance) {
  if (a.type() != b.type())
    return mismatch(fmt::format("is of type {}, expected {}", name_of(a.type()), name_of(b.type())));
  if (!(a.dims() == b.dims()))
    return mismatch(fmt::format("has shape {}, expected {}", text_of_dims(a.dims()), text_of_dims(b.dims())));
  if (a.type() == ElementType::string) return compare_strings(a, b);
  if (is_complex(a.type())) return compare_complex(a, b);
  return compare_numbers(a, b, tolerance.value_or(default_tolerance(a.type())));
}

}  // namespace

Tolerance default_tolerance(ElementType type) {
  switch (type) {
    case ElementType::float64: return {1e-9, 1e-7};
    case ElementType::float32: return {1e-5, 1e-3};
    case ElementType::float16: return {1e-3, 1e-2};
    case ElementType::bfloat16: return {1e-2, 5e-2};
    default: return is_floating(type) ? Tolerance{1e-2, 0.25} : Tolerance{};
  }
}

Difference compare(const Datum& result, const Datum& reference, std::optional<Tolerance> tolerance) {
  if (result.empty() || reference.empty())
    return result.empty() && reference.empty() ? Difference{}
                                               : mismatch(result.empty() ? "is missing" : "is not empty");
  if (result.is_tensor() != reference.is_tensor())
    return mismatch("is a tensor where a sequence is expected, or the reverse");
  if (result.is_tensor()) return compare_tensors(result.tensor(), reference.tensor(), tolerance);
  const auto &a = result.sequence().items, &b = reference.sequence().items;
  if (a.size() != b.size()) return mismatch(fmt::format("has {} items, expected {}", a.size(), b.size()));
  Difference worst;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Difference each = compare(a[i], b[i], tolerance);
    if (worst.within && !each.within) worst.reason = fmt::format("item {} {}", i, each.reason);
    worst.within = worst.within && each.within;
    worst.max_absolute = std::max(worst.max_absolute, each.max_absolute);
    worst.max_relative = std::max(worst.max_relative, each.max_relative);
    worst.cosine = std::min(worst.cosine, each.cosine);
  }
  return worst;
}

}  // namespace hone
