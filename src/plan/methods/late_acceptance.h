#pragma once

#include <vector>

#include "plan/problem/objective.h"

namespace hone {

/// Late acceptance hill climbing (Burke and Bykov, 2017): a plan is good enough to go on from when it is no worse than
/// where the search was some steps ago, so that it gets over low hills at once and over high ones not at all.
class LateAcceptance {
 public:
  /// After no step at all: only plans that are no worse than the present one are good enough.
  explicit LateAcceptance(std::size_t steps) : past_(steps) {}

  /// Forgets all steps: this is where the search is now, and has always been.
  void restart(const Score& present) { past_.assign(past_.size(), present); }

  bool accepts(const Score& offered, const Score& present) {
    if (past_.empty()) return offered <= present;
    Score& past = past_[next_];
    next_ = (next_ + 1) % past_.size();
    const bool is_accepted = offered <= present || offered <= past;
    past = std::min(past, is_accepted ? offered : present);
    return is_accepted;
  }

 private:
  std::vector<Score> past_;
  std::size_t next_ = 0;
};

}  // namespace hone
