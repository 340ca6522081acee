#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/random.h"
#include "base/thread_pool.h"
#include "plan/search/evaluator.h"
#include "plan/search/journal.h"
#include "plan/search/task.h"

namespace hone {

/// How much a search may spend; it stops at whichever comes first.
struct Budget {
  std::uint64_t evaluations = std::numeric_limits<std::uint64_t>::max();
  double seconds = std::numeric_limits<double>::infinity();
};

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
  struct Point {
    std::uint64_t evaluations = 0;
    double seconds = 0;
    Score score;
  };

  Plan plan;
  Cost cost;
  Score score;
  double bound = 0;               // no score's value is less, of plans that fit where that counts
  std::uint64_t evaluations = 0;  // spent
  double seconds = 0;             // spent
  bool interrupted = false;       // by Ctrl-C
  std::vector<Point> curve;       // every improvement; the first point is the start

  /// Whether nothing better exists, but for the billionth that bounds are rounded down by. Not known of an objective
  /// with further terms, of which there is no bound.
  bool optimal() const {
    return score.excess == 0 && score.value <= bound * (1 + 2e-9) && score.further == decltype(score.further){};
  }
};

/// The one door between an optimiser and the world: evaluates decisions (the same result on any number of threads, and
/// a repeat only once), keeps the best, spends the budget, records the curve, shows progress, stops on Ctrl-C, resumes.
/// Nobody else counts, times or draws.
class Search {
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
  /// Whether to stop: the budget is spent, or nothing better exists.
  bool spent() const;
  /// How much of the budget is gone, from 0 to 1; next to nothing when there is no end to it.
  double share_spent() const;
  std::size_t threads() const { return pool_.workers(); }
  /// Who makes these decisions cost what they cost (see Evaluator); spends one evaluation. Nobody when the budget is
  /// spent.
  std::vector<Blame> blame(std::span<const float> row);
  /// What happens when these decisions are carried out (see Evaluator); evaluates them. Nothing when the budget is
  /// spent.
  std::optional<Timeline> trace(std::span<const float> row);
  /// An optimiser has proved that no plan (none that fits, where that counts) has a lesser value.
  void prove(double bound) { solution_.bound = std::max(solution_.bound, bound); }
  double bound() const { return solution_.bound; }
  const Score& best() const { return solution_.score; }
  /// At first the start, or what an optimiser that ran before has found.
  const Plan& best_plan() const { return solution_.plan; }

  /// What the search came to; the plan has passed `check`.
  Solution finish();

 private:
  struct Worker {
    std::unique_ptr<Evaluator> evaluator;
    Plan plan;
  };

  double seconds() const;
  bool resuming() const;
  std::size_t evaluate_some(std::span<const float> rows, std::size_t first, std::size_t count);
  void evaluate_one(std::span<const float> row, Worker& worker, Journal::Entry& entry);
  std::size_t recall(std::span<const float> rows, std::size_t first, std::size_t count);
  void keep(std::span<const float> row, const Cost& cost);
  void show();

  const Problem& problem_;
  const Task& task_;
  Plan start_;
  SearchSettings settings_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  ThreadPool pool_;
  std::vector<Worker> workers_;
  std::vector<Cost> costs_;
  std::vector<Journal::Entry> entries_;  // of the batch that is being evaluated
  std::vector<Journal::Entry> known_;    // by the low bits of the hash: the last evaluations that fell there
  std::size_t recalled_ = 0;             // evaluations that the journal has answered
  double evaluated_at_ = 0;              // seconds, after the last batch
  Solution solution_;
  double shown_at_ = 0;
};

}  // namespace hone
