#pragma once

#include <cstdint>

#include "plan/search/optimizer.h"

namespace hone {

/// A search over kernels alone, by an optimiser that decides groups: devices and order stay as some decisions have them,
/// and whether everything fits there is not asked. Whatever it evaluates is evaluated by the search it is part of, and
/// counts there.
class KernelChoice {
 public:
  /// `row`: decisions of a task that decides groups among other things. The search must outlive it.
  KernelChoice(Search& whole, Decisions row);

  /// Spends at most so many evaluations.
  void run(Optimizer& optimizer, std::uint64_t evaluations, std::uint64_t seed);

  /// The best decisions so far; those it was made with as long as nothing better was evaluated.
  const Decisions& best_row() const { return row_; }

 private:
  class Groups;
  class Evaluation;

  /// The decisions that lead to the kernels of a plan, all else being as it is.
  Decisions row_of(const Plan& plan) const;

  Search& whole_;
  Decisions row_;
};

}  // namespace hone
