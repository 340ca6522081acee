// List scheduling: of what can start at a time, the shortest.

#include "plan/methods/list_heuristic.h"

namespace hone {
namespace {

void evaluate_shortest_first(Search& search, const Durations& durations) {
  const Workload& workload = search.problem().workload;
  std::vector<double> keys(workload.operation_count());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = -durations.mean_seconds(OperationId(i));
  evaluate_filled(search, durations, PartialSchedule::Gaps::left,
                  [&](PartialSchedule& schedule) { place_earliest_first(schedule, keys); });
}

const OptimizerKind shortest_first_kind = ListHeuristic::kind(
    "shortest-first", "of what can start the shortest first, where it finishes first", evaluate_shortest_first);

}  // namespace
}  // namespace hone
