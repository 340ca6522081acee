#include "rewrite/proof/same_results.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "run/reference/reference.h"
#include "run/verify/compare.h"

namespace hone {
namespace {

/// What rounding may do in a few operations.
double rounding(ElementType type) {
  switch (type) {
    case ElementType::float64: return 1e-7;  // attributes are floats
    case ElementType::float32: return 1e-5;
    default: return is_floating(type) ? 2e-2 : 0;
  }
}

std::size_t finite_elements(const Tensor& tensor) {
  if (!is_floating(tensor.type())) return tensor.count();
  std::size_t count = 0;
  for (std::size_t i = 0; i < tensor.count(); ++i) count += std::isfinite(tensor.number_at(i)) ? 1 : 0;
  return count;
}

/// The result with its elements replaced by the expected ones where those are no numbers.
Datum where_finite(const Datum& result, const Tensor& expected) {
  if (!result.is_tensor() || result.tensor().type() != expected.type() || result.tensor().count() != expected.count())
    return result;
  if (!is_floating(expected.type())) return result;
  Tensor masked = Tensor::zeros(expected.type(), result.tensor().dims());
  for (std::size_t i = 0; i < expected.count(); ++i) {
    const double number = expected.number_at(i);
    masked.set_number(i, std::isfinite(number) ? result.tensor().number_at(i) : number);
  }
  return masked;
}

Tolerance tolerance_for(const Tensor& expected, const ResultComparison& comparison) {
  if (comparison.allowed && expected.type() == ElementType::float64) return {.absolute = *comparison.allowed};
  return rounding_tolerance(expected);
}

}  // namespace

double largest_number(const Tensor& tensor) {
  double most = 0;
  for (std::size_t i = 0; i < tensor.count(); ++i) {
    const double number = std::abs(tensor.number_at(i));
    if (std::isfinite(number)) most = std::max(most, number);
  }
  return most;
}

Tolerance rounding_tolerance(const Tensor& expected) {
  const double allowed = rounding(expected.type());
  return {.absolute = allowed * std::max(1.0, largest_number(expected)), .relative = allowed};
}

SameResults compare_results(const Model& before, const Model& after, std::span<const Datum> inputs,
                            const ResultComparison& comparison) {
  std::vector<Datum> expected;
  try {
    expected = ReferenceInterpreter(before).run(inputs);
  } catch (const InputError&) {
    return {};
  }
  std::vector<Datum> results;
  try {
    results = ReferenceInterpreter(after).run(inputs);
  } catch (const InputError& error) {
    return {.compared = 0, .difference = fmt::format("the right side cannot be run: {}", error.what())};
  }
  SameResults same;
  const bool all = comparison.special == ResultComparison::Special::compared;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Tensor& tensor = expected[i].tensor();
    const Difference difference =
        compare(all ? results[i] : where_finite(results[i], tensor), expected[i], tolerance_for(tensor, comparison));
    if (!difference.within) {
      same.difference = fmt::format("output {}: {}", i, difference.reason);
      return same;
    }
    same.compared += all ? tensor.count() : finite_elements(tensor);
  }
  return same;
}

}  // namespace hone
