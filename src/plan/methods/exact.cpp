// Proves how short a plan can be, by branch and bound; see branch_and_bound.h. A proof holds for every plan, whether or
// not the simulator can be made to run the schedule that it ends with.

#include <cmath>
#include <limits>

#include "plan/methods/branch_and_bound.h"
#include "plan/methods/list_heuristic.h"
#include "plan/simulate/bounds.h"

namespace hone {
namespace {

struct ExactParameters {
  std::int64_t nodes = 20'000;
  std::int64_t operations = 200;

  Parameters list() {
    return Parameters()
        .add("nodes", &nodes, {1, 1e12}, "partial schedules to look at before it gives up")
        .add("operations", &operations, {1, 1000}, "larger graphs are left alone");
  }
};

class Exact final : public Optimizer {
 public:
  explicit Exact(const ExactParameters& parameters) : parameters_(parameters) {}

  void run(Search& search) override {
    const Problem& problem = search.problem();
    const bool is_small = problem.workload.operation_count() <= static_cast<std::size_t>(parameters_.operations);
    const bool is_time = problem.objective == Objective::seconds || problem.objective == Objective::seconds_in_memory;
    if (!is_small || !is_time || search.spent()) return;
    const Durations durations(problem);
    BranchAndBound tree(durations, times_of(problem.workload, problem.machine));
    PartialSchedule schedule(durations, PartialSchedule::Gaps::left, {});
    const auto found = [&](std::span<const BranchAndBound::Step> steps) {
      schedule.clear();
      for (const BranchAndBound::Step& step : steps)
        schedule.place(step.operation, schedule.slot_on(step.operation, tree.device_of(step.stream)));
      search.evaluate(search.task().encode(schedule.apply_to(search.start())));
      return !search.spent();
    };
    const double known = search.best().excess > 0 ? std::numeric_limits<double>::infinity() : search.best().value;
    const BranchAndBound::Limits limits{.nodes = static_cast<std::uint64_t>(parameters_.nodes),
                                        .is_over = [&] { return search.spent(); }};
    const BranchAndBound::Outcome outcome = tree.run(known, limits, found);
    if (outcome.complete && std::isfinite(outcome.shortest)) search.prove(outcome.shortest * (1 - 1e-9));
  }

  Parameters parameters() override { return parameters_.list(); }

 private:
  ExactParameters parameters_;
};

const OptimizerKind exact_kind = OptimizerKind::with_parameters<Exact, ExactParameters>(
    "exact", "branch and bound for the time of small graphs, with proof");

}  // namespace
}  // namespace hone
