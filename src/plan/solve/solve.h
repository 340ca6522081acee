#pragma once

#include <memory>
#include <string_view>

#include "plan/search/optimizer.h"

namespace hone {

/// The evaluator that judges plans for a problem by its objective. The problem must outlive it.
std::unique_ptr<Evaluator> evaluator_for(const Problem& problem);

/// A problem made ready to be solved as often as wanted, by several threads at once if need be. The problem must
/// outlive it.
class Solver {
 public:
  /// Decides `tasks` (see `make_task`), from the plan where nothing is decided on.
  Solver(const Problem& problem, std::string_view tasks) : Solver(problem, tasks, undecided_plan(problem)) {}
  /// The same from another plan, whose groups stay as they are.
  Solver(const Problem& problem, std::string_view tasks, Plan start);

  const Plan& start() const { return start_; }
  /// Whether the tasks decide which operations share a kernel.
  bool decides_groups() const { return task_->decides_groups(); }
  /// What the start costs.
  const Cost& before() const { return before_; }

  Solution solve(Optimizer& optimizer, const SearchSettings& settings) const;

 private:
  const Problem& problem_;
  Plan start_;
  std::unique_ptr<Task> task_;
  std::unique_ptr<Evaluator> evaluator_;
  Cost before_;
};

/// What an optimiser makes of a problem when it decides `tasks`, from the plan where nothing is decided on. The plan
/// has passed `check`.
Solution solve(const Problem& problem, std::string_view tasks, Optimizer& optimizer, const SearchSettings& settings);
/// The same with an optimiser by name, see `make_optimizer`.
Solution solve(const Problem& problem, std::string_view tasks, std::string_view optimizer,
               const SearchSettings& settings);

}  // namespace hone
