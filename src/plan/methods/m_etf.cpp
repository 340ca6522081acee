// Earliest task first: Hwang, Chow, Anger, Lee, "Scheduling precedence graphs in systems with interprocessor
// communication times", 1989; with limits of memory as in Jeon et al., "Baechi: fast device placement of machine
// learning graphs", 2020. Departs from both: a task goes where it finishes first, which differs from where it starts
// first only if devices do, and memory is given back after the last reader.

#include "plan/methods/list_heuristic.h"

namespace hone {
namespace {

void evaluate_m_etf(Search& search, const Durations& durations) {
  const std::vector<double> ahead = seconds_to_the_end(durations, TransfersOnPath::averaged);
  evaluate_filled(search, durations, PartialSchedule::Gaps::left,
                  [&](PartialSchedule& schedule) { place_earliest_first(schedule, ahead); });
}

const OptimizerKind m_etf_kind =
    ListHeuristic::kind("m-etf", "what can start first, where it finishes first", evaluate_m_etf);

}  // namespace
}  // namespace hone
