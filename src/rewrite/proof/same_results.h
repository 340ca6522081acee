#pragma once

#include <optional>
#include <span>
#include <string>

#include "graph/ir/model.h"
#include "graph/ops/datum.h"
#include "run/verify/compare.h"

namespace hone {

/// What of two results is compared.
struct ResultComparison {
  /// Elements that are infinite or no number on the left: not looked at, or the same on the right.
  enum class Special { left_out, compared } special = Special::left_out;
  /// How far two elements may be apart; what rounding of a few operations does where it is not said.
  std::optional<double> allowed;
};

/// How it came out.
struct SameResults {
  std::size_t compared = 0;               // elements; none where the first model cannot be run
  std::optional<std::string> difference;  // where the second differs
};

/// Runs both models by the reference interpreter and compares every element of every output: exactly for integers, up
/// to rounding relative to the largest element for floating types. Where the first cannot be run (a division by zero of
/// integers), the second may do anything.
SameResults compare_results(const Model& before, const Model& after, std::span<const Datum> inputs,
                            const ResultComparison& comparison);

/// The largest magnitude among the finite elements; 0 when there are none.
double largest_number(const Tensor& tensor);

/// What rounding of a few operations may do to a result: nothing for integers.
Tolerance rounding_tolerance(const Tensor& expected);

}  // namespace hone
