#pragma once

#include "plan/methods/brkga.h"
#include "plan/search/search.h"

namespace hone {

/// What `brkga_slowly` finds.
struct SlowSolution {
  Plan plan;
  Score score;
  std::uint64_t evaluations = 0;
};

/// The genetic algorithm again as one would write it down: chromosomes as vectors of their own, plans decoded afresh,
/// one evaluation after another. With two parents, one island and the same seed it asks for the same plans as Brkga, so
/// that either can be held against the other. Ends after `generations` or at the first restart.
SlowSolution brkga_slowly(const Problem& problem, const Task& task, Evaluator& evaluator,
                          const BrkgaParameters& parameters, std::uint64_t seed, std::size_t generations);

}  // namespace hone
