#pragma once

#include "base/random.h"
#include "plan/methods/interval_split.h"

namespace hone {

/// How placements are annealed. Temperatures are shares of the largest load.
struct AnnealingSchedule {
  std::uint64_t moves = 1'000'000;
  double hot = 0.05;
  double cold = 1e-4;
};

/// Simulated annealing of a placement for the largest load: single choices, swaps and connected clusters of choices
/// move from device to device, and loads follow in the time their nets take. Returns the best placement seen that fits
/// into memory, or if none does the one with the least bytes too much.
Split anneal_loads(const LoadGraph& graph, Split start, const AnnealingSchedule& schedule, Rng& rng);

}  // namespace hone
