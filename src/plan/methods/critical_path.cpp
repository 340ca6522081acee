// List scheduling: what has the longest path ahead of it first, where it finishes first.

#include "plan/methods/list_heuristic.h"

namespace hone {
namespace {

void evaluate_critical_path(Search& search, const Durations& durations) {
  const std::vector<double> ahead = seconds_to_the_end(durations, TransfersOnPath::ignored);
  evaluate_filled(search, durations, PartialSchedule::Gaps::left,
                  [&](PartialSchedule& schedule) { place_by_key(schedule, ahead); });
}

const OptimizerKind critical_path_kind = ListHeuristic::kind(
    "critical-path", "what has most ahead of it first, where it finishes first", evaluate_critical_path);

}  // namespace
}  // namespace hone
