#include "plan/search/search.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/hash.h"

namespace hone {
namespace {

/// With a limit in seconds, so many rows a thread are evaluated between two looks at the clock.
constexpr std::size_t kRowsBetweenLooks = 16;
constexpr std::size_t kKnown = 1 << 14;

Announcer progress_line(const SearchSettings& settings) {
  if (!settings.show_progress || !shows_progress()) return {};
  return [](const std::string& line) { show_progress(line); };
}

}  // namespace

Search::Search(const Problem& problem, const Task& task, const Evaluator& evaluator, Plan start,
               const SearchSettings& settings)
    : SearchBase(settings.budget, progress_line(settings)),
      problem_(problem),
      task_(task),
      start_(std::move(start)),
      settings_(settings),
      pool_(settings.threads),
      known_(kKnown) {
  for (std::size_t i = 0; i < pool_.workers(); ++i) workers_.push_back({evaluator.fork(), start_});
  known_.front().decisions = 1;  // which belongs elsewhere: an empty entry must answer to no hash
  solution_.plan = start_;
  solution_.cost = workers_.front().evaluator->evaluate(start_);
  solution_.score = score(solution_.cost);
  solution_.bound = settings_.bound;
  if (resuming()) replay_at(0);
  spend(1);
  improves(solution_.score);
  end_if_optimal();
}

bool Search::resuming() const { return settings_.journal != nullptr && recalled_ < settings_.journal->past().size(); }

void Search::end_if_optimal() {
  if (solution_.optimal()) end_by(SearchEnd::proved_best);
}

std::vector<Blame> Search::blame(std::span<const float> row) {
  if (spent()) return {};
  spend(1);
  Worker& self = workers_.front();
  task_.apply(row, self.plan);
  return self.evaluator->blame(self.plan);
}

std::vector<double> Search::group_seconds(std::span<const float> row) {
  Worker& self = workers_.front();
  task_.apply(row, self.plan);
  return self.evaluator->group_seconds(self.plan);
}

std::optional<Timeline> Search::trace(std::span<const float> row) {
  if (evaluate(row).empty()) return std::nullopt;
  Worker& self = workers_.front();
  task_.apply(row, self.plan);
  return self.evaluator->trace(self.plan);
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
  count = std::min<std::uint64_t>(count, budget().evaluations - evaluations());
  entries_.resize(std::max(entries_.size(), count));
  if (resuming()) {
    count = recall(rows, first, count);
  } else {
    pool_.for_each(count, [&](std::size_t worker, std::size_t i) {
      evaluate_one(rows.subspan((first + i) * sites, sites), workers_[worker], entries_[i]);
    });
    const double now = seconds();
    for (std::size_t i = 0; i < count; ++i) entries_[i].seconds = now;
    if (settings_.journal != nullptr) settings_.journal->append(std::span(entries_).first(count));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Journal::Entry& entry = entries_[i];
    known_[entry.decisions % kKnown] = entry;
    costs_[first + i] = entry.cost;
    spend(1);
    if (improves(score(entry.cost))) keep(rows.subspan((first + i) * sites, sites), entry.cost);
    if (solution_.optimal()) count = i + 1;  // more threads have evaluated more, which must make no difference
  }
  if (count > 0) reckon_time_at(entries_[count - 1].seconds);
  if (is_line_due()) announce_best(best_text());
  return count;
}

/// Called by several threads at once, which only read `known_`.
void Search::evaluate_one(std::span<const float> row, Worker& worker, Journal::Entry& entry) {
  entry.decisions = hash_bytes(std::as_bytes(row));
  const Journal::Entry& known = known_[entry.decisions % kKnown];
  if (known.decisions == entry.decisions) {
    entry.cost = known.cost;
    return;
  }
  task_.apply(row, worker.plan);
  entry.cost = worker.evaluator->evaluate(worker.plan);
}

/// Takes the next rows from the journal; returns how many it had.
std::size_t Search::recall(std::span<const float> rows, std::size_t first, std::size_t count) {
  const std::size_t sites = task_.sites().size();
  const std::span<const Journal::Entry> past = settings_.journal->past().subspan(recalled_);
  count = std::min(count, past.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (past[i].decisions != hash_bytes(std::as_bytes(rows.subspan((first + i) * sites, sites))))
      fail_usage("{}: the search asks for other plans than it did before; resume it with the same budget",
                 settings_.journal->path().string());
    entries_[i] = past[i];
  }
  recalled_ += count;
  replay_at(settings_.journal->past()[recalled_ - 1].seconds);
  if (!resuming()) end_replay();
  return count;
}

void Search::keep(std::span<const float> row, const Cost& cost) {
  task_.apply(row, solution_.plan);
  solution_.cost = cost;
  solution_.score = best();
  end_if_optimal();
}

std::string Search::best_text() const {
  std::string text = value_text(problem_.objective, best().value);
  if (best().excess > 0) text += ", does not fit";
  if (solution_.bound > 0) text += fmt::format(", {:.3f} x bound", best().value / solution_.bound);
  return text;
}

Solution Search::finish() {
  if (settings_.show_progress) {
    announce(
        fmt::format("{} evaluations in {:.1f} s; best {}; {}", evaluations(), seconds(), best_text(), text_of(end())));
    keep_progress();
  }
  const std::optional<std::string> flaw = check(problem_, solution_.plan);
  HONE_CHECK(!flaw.has_value(), "the search found no valid plan: {}", *flaw);
  solution_.evaluations = evaluations();
  solution_.seconds = seconds();
  solution_.end = end();
  solution_.curve = curve();
  return std::move(solution_);
}

}  // namespace hone
