// Topcuoglu, Hariri, Wu, "Performance-effective and low-complexity task scheduling for heterogeneous computing", 2002,
// with two things added: transfers queue on their links, and devices without room are avoided.

#include "plan/methods/list_heuristic.h"

namespace hone {
namespace {

void evaluate_heft(Search& search, const Durations& durations) {
  const std::vector<double> ahead = seconds_to_the_end(durations, TransfersOnPath::averaged);
  evaluate_filled(search, durations, PartialSchedule::Gaps::filled,
                  [&](PartialSchedule& schedule) { place_by_key(schedule, ahead); });
}

const OptimizerKind heft_kind =
    ListHeuristic::kind("heft", "heterogeneous earliest finish time, filling gaps", evaluate_heft);

}  // namespace
}  // namespace hone
