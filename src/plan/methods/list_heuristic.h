#pragma once

#include <functional>
#include <span>
#include <vector>

#include "plan/methods/partial_schedule.h"
#include "plan/search/optimizer.h"

namespace hone {

/// Places all operations of a problem.
using Fill = std::function<void(PartialSchedule&)>;

/// The limits of memory that a schedule for this objective has to respect; none where memory does not count.
std::vector<double> memory_limits(const Problem& problem);

/// Evaluates what `fill` makes of an empty schedule. Where memory counts, what a schedule holds is only an estimate: as
/// long as the plan does not fit it is made again with tighter limits.
void evaluate_filled(Search& search, const Durations& durations, PartialSchedule::Gaps gaps, const Fill& fill);

/// Operations such that what is read comes first; of those that could come next, always that of the highest key.
std::vector<OperationId> order_by_key(const Durations& durations, std::span<const double> keys);

/// Places all operations in that order, each where it finishes first.
void place_by_key(PartialSchedule& schedule, std::span<const double> keys);

/// Places all operations, each where it finishes first: of those that could come next the one that starts first, of
/// those that start at the same time that of the highest key.
void place_earliest_first(PartialSchedule& schedule, std::span<const double> keys);

/// An optimiser of no parameters that tries one schedule.
class ListHeuristic final : public Optimizer {
 public:
  using Evaluate = void (*)(Search&, const Durations&);

  explicit ListHeuristic(Evaluate evaluate) : evaluate_(evaluate) {}

  void run(Search& search) override { evaluate_(search, Durations(search.problem())); }

  static OptimizerKind kind(std::string_view name, std::string_view summary, Evaluate evaluate);

 private:
  Evaluate evaluate_;
};

}  // namespace hone
