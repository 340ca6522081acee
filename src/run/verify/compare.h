#pragma once

#include <optional>
#include <string>

#include "graph/ops/datum.h"

namespace hone {

/// How far two results may be apart: |a - b| <= absolute + relative * |b|.
struct Tolerance {
  double absolute = 0;
  double relative = 0;
};

/// What is expected of two correct programs that differ only in the order of their arithmetic.
Tolerance default_tolerance(ElementType type);

/// How two data differ.
struct Difference {
  bool within = true;  // the tolerance holds everywhere, and types and shapes agree
  std::string reason;  // what is wrong when not within
  double max_absolute = 0;
  double max_relative = 0;  // over elements whose reference is not tiny
  double cosine = 1;        // of the angle between the two as vectors
};

/// Compares a result with the reference, element by element; NaN equals NaN and infinities equal themselves. Sequences
/// are compared item by item. Without a tolerance, each element type has its default.
Difference compare(const Datum& result, const Datum& reference, std::optional<Tolerance> tolerance = {});

}  // namespace hone
