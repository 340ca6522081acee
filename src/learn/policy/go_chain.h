#pragma once

#include <functional>
#include <optional>

#include "learn/policy/go_decoder.h"

namespace hone {

/// What a policy is asked about, with everything that stays the same from pass to pass. What it refers to must outlive
/// it.
struct GoQuestion {
  const GraphView& graph;
  const GoNetwork& network;
  std::span<const float> embedded;  // of the graph
  const Task& task;
  const Plan& start;
  GoDecode decode = GoDecode::list;
  GoTasks tasks;   // of the task, those that the policy is asked about
  Decisions kept;  // of the task, to begin with: groups that nobody decides about stay so
};

/// One pass: what was seen, decided, and what came of it.
struct GoStep {
  GoSight sight;
  GoChoice choice;
  bool first = false;                                   // there was no plan before
  Score before{.excess = 0, .value = INFINITY}, after;  // of the plan that was refined, and of the one made of it
};

/// Plans that are made of one another: y(t) by the network from y(t-1) and from what came of it, all operations at
/// once. A plan that is worse than the one before is not gone on from.
class GoChain {
 public:
  /// Carries out decisions; nothing when the budget is spent.
  using Trace = std::function<std::optional<Timeline>(const Decisions&)>;

  GoChain(const GoQuestion& question, Trace trace);

  /// Begins with these decisions and what they came to instead of nothing; false when the budget is spent.
  bool begin(const Decisions& row);
  /// One pass; nothing when the budget is spent.
  std::optional<GoStep> step(double temperature, Rng& rng);
  const Score& best() const { return score_; }

 private:
  bool take_up(const Decisions& row, Score& score);

  GoQuestion question_;
  Trace trace_;
  GoDecoder decoder_;
  std::optional<ListPoint> point_;
  Decisions row_;
  Score score_{.excess = INFINITY, .value = INFINITY};
  GoHistory history_;
};

}  // namespace hone
