#pragma once

#include "plan/problem/objective.h"

namespace hone {

/// By what a search that goes from plan to plan tells them apart.
enum class DescentObjective : std::uint8_t {
  score,        // that of the objective; of plans with the same peak the one with the lower smooth peak
  smooth_peak,  // where the peak is the objective: many plans have the same one, and next to none the same smooth one
};

/// Where the peak is not the objective, or not all of it, both are the objective's own score.
inline Score score_by(const Objective& objective, const Cost& cost, DescentObjective by) {
  Score measured = score(objective, cost);
  if (objective != Objective::peak_bytes) return measured;
  (by == DescentObjective::score ? measured.further.front() : measured.value) = cost.smooth_peak_bytes;
  return measured;
}

}  // namespace hone
