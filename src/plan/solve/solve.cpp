#include "plan/solve/solve.h"

#include "base/error.h"
#include "plan/fuse/check_fusion.h"
#include "plan/simulate/objective_cost.h"
#include "plan/simulate/sharding_cost.h"

namespace hone {

std::unique_ptr<Evaluator> evaluator_for(const Problem& problem) {
  if (problem.sharding) return std::make_unique<ShardingCost>(problem.sharding);
  return std::make_unique<ObjectiveCost>(problem);
}

Solver::Solver(const Problem& problem, std::string_view tasks, Plan start)
    : problem_(problem),
      start_(std::move(start)),
      task_(make_task(problem, tasks, start_)),
      evaluator_(evaluator_for(problem)),
      before_(evaluator_->evaluate(start_)) {}

Solution Solver::solve(Optimizer& optimizer, const SearchSettings& settings) const {
  Search search(problem_, *task_, *evaluator_, start_, settings);
  optimizer.run(search);
  Solution solution = search.finish();
  if (decides_groups()) {
    const std::optional<std::string> flaw = check_fusion(problem_, solution.plan);
    HONE_CHECK(!flaw.has_value(), "the search found kernels that must not be: {}", *flaw);
  }
  return solution;
}

Solution solve(const Problem& problem, std::string_view tasks, Optimizer& optimizer, const SearchSettings& settings) {
  return Solver(problem, tasks).solve(optimizer, settings);
}

Solution solve(const Problem& problem, std::string_view tasks, std::string_view optimizer,
               const SearchSettings& settings) {
  return solve(problem, tasks, *make_optimizer(optimizer), settings);
}

}  // namespace hone
