#pragma once

#include <optional>

#include "run/verify/compare.h"
#include "run/verify/movement.h"

namespace hone {

/// What two models gave for one of their outputs, and what is known of rounding there.
struct OutputResults {
  std::size_t output = 0;  // its position in the first model
  const Datum& expected;
  const Datum& found;
  const Datum& found_exactly;          // in double precision; empty where the second model was not run so
  const Movement* movement = nullptr;  // of the first model; null where it is not known
  std::optional<Tolerance> tolerance;  // instead of all else
};

/// The largest errors of two models' results against a run in double precision.
struct ErrorPair {
  double candidate = 0, reference = 0;
};

/// Whether what was found will do.
struct Judgement {
  Difference difference;
  std::optional<ErrorPair> errors;  // where the first model's own rounding was what was judged by
};

/// Compares what was found with what was expected. Where rounding is known, the result in double precision must be
/// exact but for rounding of weights, and the other about as accurate as the expected one or within a fixed tolerance
/// of it; where it is not, the fixed tolerance decides.
Judgement judge(const OutputResults& results);

}  // namespace hone
