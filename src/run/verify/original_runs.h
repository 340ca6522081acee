#pragma once

#include <vector>

#include "run/verify/equivalence.h"
#include "run/verify/rounding_study.h"

namespace hone {

/// An original's runs on the reference interpreter, once for every input tried, with what rounding does to them.
class OriginalRuns {
 public:
  /// The model's types must be static. Throws InputError where it cannot be run.
  OriginalRuns(Model original, EquivalenceOptions options);

  /// Compares a model with static types; throws InputError where it cannot be run.
  Equivalence compare(const Model& candidate) const;

  /// What rounding does to the outputs, by input tried; none where it is not known.
  const std::vector<Movement>& movements() const { return study_.movements; }
  /// About how long a comparison takes: one run as written and one in double precision for each input.
  double seconds() const { return seconds_; }

 private:
  Model original_;
  EquivalenceOptions options_;
  std::vector<std::vector<Datum>> inputs_, results_;  // by input tried
  RoundingStudy study_;
  double seconds_ = 0;
};

}  // namespace hone
