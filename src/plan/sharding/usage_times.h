#pragma once

#include <cstdint>
#include <vector>

#include "plan/sharding/reduction.h"

namespace hone {

/// What labels use over time, with times ranked and those that can never matter left out.
struct UsageTimes {
  struct Piece {
    std::size_t variable = 0;          // of the reduction
    std::uint32_t begin = 0, end = 0;  // ranks of times
    std::vector<double> usage = {};    // by label, beyond the least
  };

  std::vector<Piece> pieces;     // by variable, ascending
  std::vector<double> capacity;  // by rank: what is left for pieces
};

UsageTimes usage_times(const Reduction& reduction);

}  // namespace hone
