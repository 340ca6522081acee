#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/random.h"
#include "base/search_base.h"
#include "base/thread_pool.h"
#include "plan/search/evaluator.h"
#include "plan/search/journal.h"
#include "plan/search/task.h"

namespace hone {

/// How a search is carried out.
struct SearchSettings {
  Budget budget;
  std::uint64_t seed = 0;
  std::size_t threads = 1;
  double bound = 0;            // no score's value is less; a search that reaches it ends
  bool show_progress = true;   // on standard error, if that is a terminal
  Journal* journal = nullptr;  // where to resume from and what to write down, if that is wanted
};

/// The best that a search has found.
struct Solution {
  using Point = SearchBase<Score>::Point;

  Plan plan;
  Cost cost;
  Score score;
  double bound = 0;               // no score's value is less, of plans that fit where that counts
  std::uint64_t evaluations = 0;  // spent
  double seconds = 0;             // spent
  SearchEnd end = SearchEnd::nothing_left;
  std::vector<Point> curve;  // every improvement; the first point is the start

  /// Whether nothing better exists, but for the billionth that bounds are rounded down by. Not known of an objective
  /// with further terms, of which there is no bound.
  bool optimal() const {
    return score.excess == 0 && score.value <= bound * (1 + 2e-9) && score.further == decltype(score.further){};
  }
};

/// The one door between an optimiser and the world: evaluates decisions (the same result on any number of threads, and
/// a repeat only once), keeps the best, spends the budget, resumes. Nobody else counts, times or draws.
class Search : public SearchBase<Score> {
 public:
  /// Evaluates `start`, whatever the budget, so that no search ends worse than it began. What is passed by reference
  /// must outlive the search.
  Search(const Problem& problem, const Task& task, const Evaluator& evaluator, Plan start,
         const SearchSettings& settings);

  const Problem& problem() const { return problem_; }
  const Task& task() const { return task_; }
  const Plan& start() const { return start_; }
  /// All randomness of an optimiser comes from here.
  Rng rng() const { return Rng(settings_.seed); }
  Score score(const Cost& cost) const { return hone::score(problem_.objective, cost); }

  /// Costs of decisions that lie one after another in `rows`, valid until the next call. Fewer than there are rows
  /// when the budget is spent, or none when there is nothing to decide; then the optimiser should return.
  std::span<const Cost> evaluate(std::span<const float> rows);
  std::size_t threads() const { return pool_.workers(); }
  /// Who makes these decisions cost what they cost (see Evaluator); spends one evaluation. Nobody when the budget is
  /// spent.
  std::vector<Blame> blame(std::span<const float> row);
  /// What the groups take that decisions lead to which were evaluated before (see Evaluator), by group; spends nothing.
  std::vector<double> group_seconds(std::span<const float> row);
  /// What happens when these decisions are carried out (see Evaluator); evaluates them. Nothing when the budget is
  /// spent.
  std::optional<Timeline> trace(std::span<const float> row);
  /// An optimiser has proved that no plan (none that fits, where that counts) has a lesser value. What is proved is
  /// about operations as kernels of their own, so that it says nothing where groups are decided.
  void prove(double bound) {
    if (task_.decides_groups()) return;
    solution_.bound = std::max(solution_.bound, bound);
    end_if_optimal();
  }
  double bound() const { return solution_.bound; }
  /// At first the start, or what an optimiser that ran before has found.
  const Plan& best_plan() const { return solution_.plan; }

  /// What the search came to; the plan has passed `check`.
  Solution finish();

 private:
  struct Worker {
    std::unique_ptr<Evaluator> evaluator;
    Plan plan;
  };

  bool resuming() const;
  void end_if_optimal();
  std::size_t evaluate_some(std::span<const float> rows, std::size_t first, std::size_t count);
  void evaluate_one(std::span<const float> row, Worker& worker, Journal::Entry& entry);
  std::size_t recall(std::span<const float> rows, std::size_t first, std::size_t count);
  void keep(std::span<const float> row, const Cost& cost);
  std::string best_text() const;

  const Problem& problem_;
  const Task& task_;
  Plan start_;
  SearchSettings settings_;
  ThreadPool pool_;
  std::vector<Worker> workers_;
  std::vector<Cost> costs_;
  std::vector<Journal::Entry> entries_;  // of the batch that is being evaluated
  std::vector<Journal::Entry> known_;    // by the low bits of the hash: the last evaluations that fell there
  std::size_t recalled_ = 0;             // evaluations that the journal has answered
  Solution solution_;
};

}  // namespace hone
