#pragma once

#include <optional>

#include "run/verify/original_runs.h"

namespace hone {

/// Compares models with an original on the reference interpreter, where the original runs but once for each input.
class ReferenceCheck {
 public:
  /// Runs the original, whose types must be static; throws InputError where it cannot be run.
  ReferenceCheck(Model original, EquivalenceOptions options);

  /// Compares a model with static types; one that cannot be run is not equal.
  Equivalence compare(const Model& candidate) const;

  /// What rounding does to the original's outputs, by input tried; none where it is not known.
  const std::vector<Movement>& movements() const { return runs_->movements(); }

  /// About how long a comparison takes, as the original's own runs showed.
  double seconds() const { return runs_->seconds(); }

 private:
  std::optional<OriginalRuns> runs_;
};

}  // namespace hone
