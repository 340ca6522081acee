#pragma once

#include "base/parameters.h"
#include "learn/policy/moving_plan.h"
#include "plan/methods/descent_objective.h"
#include "plan/methods/late_acceptance.h"

namespace hone {

/// What can be chosen about local search by moves that a policy prefers.
struct DescentParameters {
  std::int64_t offers = 8;
  double blind = 0.25;
  std::int64_t batch = 4;
  std::int64_t patience = 200;
  std::int64_t kick = 3;
  std::int64_t refresh = 20;
  double focus = 0.9;
  std::int64_t late = 20;

  void add_to(Parameters& list) {
    list.add("offers", &offers, {1, 1e4}, "moves of which the policy picks the one that is tried; 1: it has no say")
        .add("blind", &blind, {0, 1}, "share of moves in which it has no say either, in case it is wrong")
        .add("batch", &batch, {1, 1e4}, "moves tried at once, before the best of them is made")
        .add("patience", &patience, {1, 1e9}, "evaluations without a better plan after which the best is perturbed")
        .add("kick", &kick, {1, 1e4}, "moves that make a perturbation")
        .add("refresh", &refresh, {1, 1e9}, "evaluations after which a plan is played through again")
        .add("focus", &focus, {0, 1}, "share of moves around operations that are to blame for the cost")
        .add("late", &late, {0, 1e6}, "steps in which plans may get worse, while peaks are smoothed; 0: they never do");
  }
};

/// Iterated local search in which a policy picks the moves that are tried out of those that could be made.
class GuidedDescent {
 public:
  GuidedDescent(Search& search, const GraphView& graph, MoveWeights weights, const DescentParameters& parameters);

  /// From these decisions on, until so much of the budget is spent.
  void run(const Decisions& start, double until, DescentObjective objective);

 private:
  bool descend(double until);
  bool step();
  bool play_again();
  std::optional<PlanMove> pick();
  void make_best(std::span<const Cost> costs);
  bool perturb();

  Search& search_;
  MoveWeights weights_;
  DescentParameters parameters_;
  MovingPlan plan_;
  Rng rng_;
  std::vector<PlanMove> tried_;  // the last batch, and their decisions
  Decisions rows_, base_;
  DescentObjective objective_ = DescentObjective::score;
  Score score_, base_score_;
  LateAcceptance acceptance_{0};
  std::int64_t until_played_ = 0;
};

/// The logit that a policy gives a move.
double logit_of(const MoveWeights& weights, const PlanMove& move);

}  // namespace hone
