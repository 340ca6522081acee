#include "core/search.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/error.h"
#include "base/interrupt.h"
#include "core/check.h"

namespace hone {
namespace {

/// With a limit in seconds, so many rows a thread are evaluated between two looks at the clock.
constexpr std::size_t kRowsBetweenLooks = 16;
constexpr double kSecondsBetweenLines = 0.2;

}  // namespace

Search::Search(const Problem& problem, const Task& task, const Evaluator& evaluator, Plan start,
               const SearchSettings& settings)
    : problem_(problem), task_(task), start_(std::move(start)), settings_(settings), pool_(settings.threads) {
  settings_.show_progress = settings.show_progress && isatty(STDERR_FILENO) != 0;
  for (std::size_t i = 0; i < pool_.workers(); ++i) workers_.push_back({evaluator.fork(), start_});
  solution_.plan = start_;
  solution_.cost = workers_.front().evaluator->evaluate(start_);
  solution_.score = score(solution_.cost);
  solution_.evaluations = 1;
  solution_.curve.push_back({1, seconds(), solution_.score});
}

double Search::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

bool Search::spent() const {
  return solution_.evaluations >= settings_.budget.evaluations || interrupted() ||
         seconds() >= settings_.budget.seconds;
}

std::span<const Cost> Search::evaluate(std::span<const float> rows) {
  const std::size_t sites = task_.sites().size();
  if (sites == 0) return {};
  HONE_CHECK(rows.size() % sites == 0, "rows of decisions must have one for every site");
  const std::size_t wanted = rows.size() / sites;
  costs_.resize(std::max(costs_.size(), wanted));
  std::size_t done = 0;
  while (done < wanted && !spent())
    done += evaluate_some(rows, done, std::min(wanted - done, kRowsBetweenLooks * pool_.workers()));
  return std::span(costs_).first(done);
}

/// Evaluates up to `count` rows from `first` on; returns how many the budget allowed.
std::size_t Search::evaluate_some(std::span<const float> rows, std::size_t first, std::size_t count) {
  const std::size_t sites = task_.sites().size();
  count = std::min<std::uint64_t>(count, settings_.budget.evaluations - solution_.evaluations);
  pool_.for_each(count, [&](std::size_t worker, std::size_t i) {
    Worker& self = workers_[worker];
    task_.apply(rows.subspan((first + i) * sites, sites), self.plan);
    costs_[first + i] = self.evaluator->evaluate(self.plan);
  });
  for (std::size_t i = first; i < first + count; ++i) {
    ++solution_.evaluations;
    if (score(costs_[i]) < solution_.score) keep(rows.subspan(i * sites, sites), costs_[i]);
  }
  if (settings_.show_progress && seconds() > shown_at_ + kSecondsBetweenLines) show();
  return count;
}

void Search::keep(std::span<const float> row, const Cost& cost) {
  task_.apply(row, solution_.plan);
  solution_.cost = cost;
  solution_.score = score(cost);
  solution_.curve.push_back({solution_.evaluations, seconds(), solution_.score});
}

void Search::prove_bound(double value) { settings_.bound = std::max(settings_.bound, value); }

void Search::show() {
  shown_at_ = seconds();
  std::string line = fmt::format("\r{} evaluations, {:.1f} s, best {}", solution_.evaluations, shown_at_,
                                 value_text(problem_.objective, solution_.score.value));
  if (solution_.score.excess > 0) line += ", does not fit";
  if (settings_.bound > 0) line += fmt::format(", {:.3f} x bound", solution_.score.value / settings_.bound);
  fmt::print(stderr, "{}\033[K", line);
  std::fflush(stderr);
}

Solution Search::finish() {
  if (settings_.show_progress) {
    show();
    fmt::print(stderr, "\n");
  }
  const std::optional<std::string> flaw = check(problem_.workload, problem_.machine, solution_.plan);
  HONE_CHECK(!flaw.has_value(), "the search found no valid plan: {}", *flaw);
  solution_.bound = settings_.bound;
  solution_.seconds = seconds();
  solution_.interrupted = interrupted();
  return std::move(solution_);
}

}  // namespace hone
