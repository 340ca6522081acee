#pragma once

#include <vector>

#include "plan/methods/stage_lines.h"
#include "plan/search/search.h"

namespace hone {

/// Decisions and what they cost.
struct EvaluatedRow {
  Decisions row;
  Cost cost;
};

/// Cuts lines into stages, and again where devices held too much or too little. Of several lines those are cut again
/// that devices held least of on average, as this is what a line can come to.
class StageSearch {
 public:
  /// What is passed by reference must outlive it. Plans are `start` with other devices and priorities.
  StageSearch(Search& search, const StageLines& lines, Plan start);

  /// Cuts a line for the first time, with devices that wait or not. Does nothing when the budget is spent.
  void add(StageLine line, Waiting waiting);
  /// Cuts the most promising lines again until so much of the budget or so many evaluations are spent, or none promises
  /// anything.
  void refine(double until, std::uint64_t evaluations);

  /// The plan whose smooth peak is least; empty when there is none.
  const EvaluatedRow& best() const { return best_; }

 private:
  struct Tried {
    StageLine line;
    Waiting waiting = Waiting::never;
    double promise_bytes = 0;  // what its peak could come to
    std::size_t cuts = 0;
  };

  bool cut(Tried& tried);

  Search& search_;
  const StageLines& lines_;
  Plan start_;
  std::vector<Tried> tried_;
  EvaluatedRow best_;
};

}  // namespace hone
