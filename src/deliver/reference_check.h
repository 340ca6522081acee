#pragma once

#include <vector>

#include "run/verify/equivalence.h"

namespace hone {

/// Compares models with an original on the reference interpreter, where the original runs but once for each input.
class ReferenceCheck {
 public:
  /// Runs the original, whose types must be static; throws InputError where it cannot be run.
  ReferenceCheck(Model original, EquivalenceOptions options);

  /// Compares a model with static types; one that cannot be run is not equal.
  Equivalence compare(const Model& candidate) const;

  /// How long the original took on all inputs together.
  double seconds() const { return seconds_; }

 private:
  Model original_;
  EquivalenceOptions options_;
  std::vector<std::vector<Datum>> results_;  // of the original, by input tried
  double seconds_ = 0;
};

}  // namespace hone
