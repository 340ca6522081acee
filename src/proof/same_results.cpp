#include "proof/same_results.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "run/compare.h"
#include "run/reference.h"

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

double largest(const Tensor& tensor) {
  double most = 0;
  for (std::size_t i = 0; i < tensor.count(); ++i) {
    const double number = std::abs(tensor.number_at(i));
    if (std::isfinite(number)) most = std::max(most, number);
  }
  return most;
}

/// The result with its elements replaced by the expected ones where those are no numbers: rules are about numbers.
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

}  // namespace

std::optional<std::string> first_difference(const Model& before, const Model& after, std::span<const Datum> inputs) {
  std::vector<Datum> expected;
  try {
    expected = ReferenceInterpreter(before).run(inputs);
  } catch (const InputError&) {
    return std::nullopt;
  }
  std::vector<Datum> results;
  try {
    results = ReferenceInterpreter(after).run(inputs);
  } catch (const InputError& error) {
    return fmt::format("the right side cannot be run: {}", error.what());
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double allowed = rounding(expected[i].tensor().type());
    const Tolerance tolerance{.absolute = allowed * std::max(1.0, largest(expected[i].tensor())), .relative = allowed};
    const Difference difference = compare(where_finite(results[i], expected[i].tensor()), expected[i], tolerance);
    if (!difference.within) return fmt::format("output {}: {}", i, difference.reason);
  }
  return std::nullopt;
}

}  // namespace hone
