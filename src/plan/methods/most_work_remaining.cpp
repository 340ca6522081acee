// List scheduling: of what can start, that which holds up the most work after it.

#include "plan/methods/list_heuristic.h"

namespace hone {
namespace {

void evaluate_most_work_remaining(Search& search, const Durations& durations) {
  const std::vector<double> held_up = seconds_held_up(durations);
  evaluate_filled(search, durations, PartialSchedule::Gaps::left,
                  [&](PartialSchedule& schedule) { place_by_key(schedule, held_up); });
}

const OptimizerKind most_work_remaining_kind =
    ListHeuristic::kind("most-work-remaining", "what holds up most work after it first, where it finishes first",
                        evaluate_most_work_remaining);

}  // namespace
}  // namespace hone
