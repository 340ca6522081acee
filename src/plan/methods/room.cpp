#include "plan/methods/room.h"

#include "plan/machine/machine_file.h"
#include "plan/methods/brkga.h"
#include "plan/solve/solve.h"

namespace hone {

namespace {

/// The best that a search reaches within its budget.
double best_within(std::uint64_t evaluations, const Problem& problem) {
  Brkga brkga(BrkgaParameters{});
  const Solution found =
      solve(problem, "place+schedule", brkga, {.budget = {.evaluations = evaluations}, .show_progress = false});
  return found.score.value;
}

}  // namespace

bool has_room(const Workload& workload, const RoomTest& test) {
  Problem problem{.workload = workload, .machine = load_machine("regal-2")};
  for (const Objective& objective : {Objective::seconds, Objective::peak_bytes}) {
    problem.objective = objective;
    if (best_within(test.small_evaluations, problem) >= test.factor * best_within(test.large_evaluations, problem))
      return true;
  }
  return false;
}

}  // namespace hone
