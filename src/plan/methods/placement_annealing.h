#pragma once

#include "plan/methods/load_annealing.h"
#include "plan/search/search.h"

namespace hone {

/// Simulated annealing of placements under whatever the objective is, for which every plan is evaluated in full.
/// Several walkers start at the best plan of the search and take a step each at a time, so that threads have something
/// to share out; between rounds they meet at the best again. Ends when the search does or after a round without a
/// better plan for each of `patience`.
struct PlacementAnnealing {
  std::size_t walkers = 8;
  std::int64_t patience = 4;
  AnnealingSchedule schedule;  // moves of one walker in a round; temperatures are shares of the best value

  void run(const LoadGraph& graph, Search& search, Rng& rng) const;
};

}  // namespace hone
