#pragma once

#include <array>
#include <optional>
#include <vector>

#include "base/parameters.h"
#include "plan/methods/descent_objective.h"
#include "plan/methods/late_acceptance.h"
#include "plan/methods/memory_moves.h"
#include "plan/search/search.h"

namespace hone {

/// What can be chosen about going from plan to plan.
struct MemoryDescentParameters {
  std::int64_t batch = 4;
  std::int64_t late = 10;
  std::int64_t patience = 400;
  double smooth = 0.8;

  void add_to(Parameters& list) {
    list.add("batch", &batch, {1, 1e4}, "changed plans tried at once, before the best of them is kept")
        .add("late", &late, {0, 1e6}, "steps after which a plan may be as bad as it was before them")
        .add("patience", &patience, {1, 1e9},
             "evaluations without a better plan after which a worse one is gone on from")
        .add("smooth", &smooth, {0, 1}, "share of the budget in which plans are judged by their smooth peak");
  }
};

/// Goes from a plan to better ones by changes around its peak (see MemoryMoves). How much is changed at once
/// follows from how often that proves right, for each kind of change by itself. Can be left and gone on with.
class MemoryDescent {
 public:
  /// What is passed by reference must outlive it. `label` tells its random numbers from those of others.
  MemoryDescent(Search& search, const Durations& durations, MemoryMoves& moves,
                const MemoryDescentParameters& parameters, std::uint64_t label);

  /// Begins at decisions that cost that.
  void begin_at(Decisions row, const Cost& cost);
  /// Moves that share of all operations at once at first.
  void begin_boldly(double share);
  /// Until so much of the budget is spent.
  void run(double until);

  /// How good the best is that it has come to.
  const Score& score() const { return best_score_; }

 private:
  struct Point {
    Plan plan;
    Decisions row;
  };
  /// Decisions that were tried.
  struct Offer {
    Decisions row;
    Cost cost;
    MemoryMoves::Kind kind;
  };

  bool step();
  bool play();
  void judge_anew();
  MemoryMoves::Kind pick_kind();
  std::vector<Offer> evaluated_offers();
  void learn(MemoryMoves::Kind kind, bool is_better);
  Decisions decisions_for(const Plan& plan) const;
  Score score_of(const Cost& cost) const;
  void go_to(Decisions row, const Cost& cost);
  void let_go();

  Search& search_;
  const Durations& durations_;
  MemoryMoves& moves_;
  MemoryDescentParameters parameters_;
  Rng rng_;
  DescentObjective objective_ = DescentObjective::smooth_peak;
  LateAcceptance acceptance_;
  std::array<double, MemoryMoves::kKinds> success_{};  // by kind: how often changes made things better lately
  std::array<double, MemoryMoves::kKinds> moved_{};    // by kind: operations at once
  Point current_;
  Decisions best_;
  Cost best_cost_;
  Score score_, best_score_;
  std::optional<PlayedRuns> runs_;  // of the current plan; none: not carried out yet
  std::int64_t idle_ = 0;
};

}  // namespace hone
