#pragma once

#include <cstdint>

#include "plan/methods/contracted_problem.h"
#include "plan/search/optimizer.h"

namespace hone {

/// A search over devices and order of the kernels that some decisions make, by an optimiser that plans single
/// operations. Whatever it evaluates is evaluated by the search it is part of, and counts there.
class KernelSearch {
 public:
  /// `row`: decisions of a task that decides groups, or of one for a plan with groups. The search must outlive it.
  KernelSearch(Search& whole, Decisions row);

  /// Spends at most so many evaluations, from the decisions there are on.
  void run(Optimizer& optimizer, std::uint64_t evaluations, std::uint64_t seed);

  /// The best decisions so far, and what they cost; those it was made with as long as nothing was evaluated.
  const Decisions& best_row() const { return best_row_; }
  const Score& best() const { return best_; }

 private:
  class Evaluation;

  /// The decisions that lead to these devices and this order of kernels.
  Decisions row_of(const Plan& kernels) const;

  Search& whole_;
  Decisions row_;  // of which decisions about groups are kept
  Plan plan_;      // of the row
  ContractedProblem contracted_;
  Decisions best_row_;
  Score best_;
};

}  // namespace hone
