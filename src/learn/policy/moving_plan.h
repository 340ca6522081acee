#pragma once

#include <optional>
#include <vector>

#include "learn/policy/moves.h"
#include "plan/search/search.h"

namespace hone {

/// The decisions that a search is at, and the moves that lead away from them.
class MovingPlan {
 public:
  /// `graph` and `search` must outlive it.
  MovingPlan(Search& search, const GraphView& graph, double focus);

  void go_to(Decisions decisions) { decisions_ = std::move(decisions); }
  const Decisions& decisions() const { return decisions_; }

  /// Plays the plan through, to know what happens in it; spends an evaluation. False when the budget is spent.
  bool play();
  /// None where chance has found none; the plan must have been played through at least once.
  std::optional<PlanMove> draw(Rng& rng) { return moves_.draw(rng); }
  /// Writes what a move changes into decisions that are those of this plan otherwise.
  void write(const PlanMove& move, std::span<float> row);
  /// Makes a move.
  void take(const PlanMove& move);
  Moves& moves() { return moves_; }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  void find_sites();
  void write_order(const Stretch& stretch, std::span<float> row) const;

  Search& search_;
  const GraphView& graph_;
  PlanInTime plan_;
  Moves moves_;
  std::vector<std::uint32_t> device_site_, priority_site_;  // by operation; none where the task does not decide it
  Decisions decisions_;
};

}  // namespace hone
