#pragma once

#include "core/search.h"
#include "evaluate/smooth_peak.h"

namespace hone {

/// By what a search that goes from plan to plan tells them apart.
enum class Aim : std::uint8_t {
  score,        // plans with the same peak by the smooth one
  smooth_peak,  // where peak memory is the objective: many plans have the same peak, next to none the same smooth one
};

/// Where the objective is another one, both are its own score.
inline Score aimed_score(const Search& search, const Cost& cost, Aim aim) {
  Score score = search.score(cost);
  if (search.problem().objective != Objective::peak_bytes) return score;
  (aim == Aim::score ? score.further.front() : score.value) = cost.smooth_peak_bytes;
  return score;
}

}  // namespace hone
