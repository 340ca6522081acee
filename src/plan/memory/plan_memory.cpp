#include "plan/memory/plan_memory.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "base/error.h"
#include "base/random.h"
#include "plan/memory/best_fit.h"
#include "plan/memory/pack_search.h"

namespace hone {
namespace {

using Outcome = PackSearch::Outcome;

/// More buffers than this in one stretch of time are left to best fit: the search recurses once a buffer.
constexpr std::size_t kMostSearched = 4096;
constexpr std::uint64_t kFirstNodes = 1024;  // of one run of a search; each has an eighth more than the last
/// A probe at one height while minimising may visit this many nodes at first, and more in every round.
constexpr std::uint64_t kFirstProbeNodes = 16384;
constexpr std::uint64_t kProbeGrowth = 4;

/// What divides all sizes and alignments: offsets need be no finer, so that hopeless heights between are not searched.
std::int64_t unit_of(const MemoryProblem& problem) {
  std::int64_t unit = 0;
  for (const MemoryBuffer& buffer : problem.buffers)
    if (buffer.size > 0)
      unit = std::gcd(unit, buffer.alignment == 1 ? buffer.size : std::gcd(buffer.size, buffer.alignment));
  return std::max(unit, std::int64_t{1});
}

/// A problem whose bytes are counted in units. An alignment of one byte is none: whole units are as good.
MemoryProblem in_units(MemoryProblem problem, std::int64_t unit) {
  for (MemoryBuffer& buffer : problem.buffers) {
    buffer.size /= unit;
    buffer.alignment = std::max(buffer.alignment / unit, std::int64_t{1});
  }
  if (problem.capacity != MemoryProblem::kUnlimited) problem.capacity /= unit;
  return problem;
}

/// Which buffers a run of the search prefers: those that live longest, of these the largest, and after the first run
/// with some luck.
std::vector<double> draw_preference(const MemoryProblem& problem, const Sections& sections,
                                    std::span<const std::uint32_t> part, Rng* luck) {
  constexpr double kLeastFactor = 0.74, kMostFactor = 1.35, kSizeWeight = 1e-6;
  std::vector<double> preference;
  for (const std::uint32_t i : part) {
    const SectionSpan span = sections.span_of[i];
    const double liked = span.last - span.first + kSizeWeight * static_cast<double>(problem.buffers[i].size);
    preference.push_back(luck == nullptr ? liked : liked * luck->uniform(kLeastFactor, kMostFactor));
  }
  return preference;
}

/// Best fit and exact search over one problem, until the budget is used up.
class Planner {
 public:
  Planner(const MemoryProblem& problem, const MemoryBudget& budget);

  MemoryOutcome fit_capacity();
  MemoryOutcome minimize();

 private:
  Outcome pack(std::int64_t capacity, std::uint64_t nodes);
  Outcome pack_part(std::span<const std::uint32_t> part, std::int64_t capacity, std::uint64_t nodes);
  void lower_in_round(std::uint64_t probe_nodes);
  void keep_packing();
  bool used_up() const { return outcome_.nodes >= budget_.nodes || deadline_.is_over(); }
  SearchEnd end() const;
  bool searchable() const;

  const MemoryProblem& problem_;
  MemoryBudget budget_;
  Deadline deadline_;
  Sections sections_;
  std::vector<std::vector<std::uint32_t>> parts_;
  std::vector<std::int64_t> offset_of_;  // of the packing under way
  MemoryOutcome outcome_;
};

Planner::Planner(const MemoryProblem& problem, const MemoryBudget& budget)
    : problem_(problem), budget_(budget), deadline_(budget.seconds), sections_(problem) {
  parts_ = sections_.independent_parts();
  for (std::vector<std::uint32_t>& part : parts_)
    std::erase_if(part, [&](std::uint32_t i) { return problem.buffers[i].size == 0; });
  outcome_.bound = live_bytes_bound(problem);
  outcome_.plan = best_fit(problem, sections_, deadline_);
}

bool Planner::searchable() const {
  return std::ranges::all_of(parts_, [](const auto& part) { return part.size() <= kMostSearched; });
}

/// A plan within the capacity from at most so many nodes, left in `offset_of_`.
Outcome Planner::pack(std::int64_t capacity, std::uint64_t nodes) {
  offset_of_.assign(problem_.buffers.size(), 0);
  for (const std::vector<std::uint32_t>& part : parts_) {
    const Outcome outcome = pack_part(part, capacity, nodes);
    if (outcome != Outcome::found) return outcome;
  }
  return Outcome::found;
}

/// Runs that are short at first and take another turn each: a bad decision at the start costs a run, not the search.
Outcome Planner::pack_part(std::span<const std::uint32_t> part, std::int64_t capacity, std::uint64_t nodes) {
  const std::uint64_t end = outcome_.nodes + std::min(nodes, budget_.nodes - std::min(budget_.nodes, outcome_.nodes));
  PackSearch search(problem_, sections_, part);
  Rng luck(0);
  std::uint64_t limit = kFirstNodes;
  for (Rng* drawn = nullptr; outcome_.nodes < end && !used_up(); drawn = &luck, limit += limit / 8) {
    const std::vector<double> preference = draw_preference(problem_, sections_, part, drawn);
    const Outcome outcome =
        search.run(capacity, preference, {.nodes = std::min(limit, end - outcome_.nodes), .deadline = deadline_});
    outcome_.nodes += search.nodes();
    if (outcome == Outcome::stopped) continue;
    for (std::size_t i = 0; outcome == Outcome::found && i < part.size(); ++i)
      offset_of_[part[i]] = search.offsets()[i];
    return outcome;
  }
  return Outcome::stopped;
}

/// What is not found nor proved was left by one of the limits, or is too much for exact search.
SearchEnd Planner::end() const {
  if (outcome_.optimal()) return SearchEnd::proved_best;
  const bool is_settled =
      problem_.capacity != MemoryProblem::kUnlimited && (outcome_.fits || outcome_.bound > problem_.capacity);
  if (is_settled || !used_up()) return SearchEnd::nothing_left;
  if (interrupted()) return SearchEnd::interrupted;
  return outcome_.nodes >= budget_.nodes ? SearchEnd::evaluations : SearchEnd::seconds;
}

void Planner::keep_packing() { outcome_.plan = {offset_of_, height_of(problem_, offset_of_)}; }

MemoryOutcome Planner::fit_capacity() {
  if (outcome_.plan.height > problem_.capacity && outcome_.bound <= problem_.capacity && searchable()) {
    const Outcome outcome = pack(problem_.capacity, budget_.nodes);
    if (outcome == Outcome::found) keep_packing();
    if (outcome == Outcome::impossible) outcome_.bound = problem_.capacity + 1;
  }
  outcome_.fits = outcome_.plan.height <= problem_.capacity;
  outcome_.end = end();
  return outcome_;
}

/// Probes the bound, then halves the distance between the lowest height not given up in this round and the best plan.
void Planner::lower_in_round(std::uint64_t probe_nodes) {
  std::int64_t hope = outcome_.bound, target = hope;
  for (; hope < outcome_.plan.height && !used_up(); target = hope + (outcome_.plan.height - hope) / 2) {
    const Outcome outcome = pack(target, probe_nodes);
    if (outcome == Outcome::found) keep_packing();
    if (outcome == Outcome::impossible) outcome_.bound = target + 1;
    if (outcome != Outcome::found) hope = target + 1;
  }
}

MemoryOutcome Planner::minimize() {
  for (std::uint64_t nodes = kFirstProbeNodes; searchable() && !outcome_.optimal() && !used_up(); nodes *= kProbeGrowth)
    lower_in_round(nodes);
  outcome_.fits = true;
  outcome_.end = end();
  return outcome_;
}

}  // namespace

MemoryOutcome plan_memory(const MemoryProblem& problem, const MemoryBudget& budget) {
  require_valid(problem);
  const std::int64_t unit = unit_of(problem);
  const MemoryProblem counted = in_units(problem, unit);
  Planner planner(counted, budget);
  MemoryOutcome outcome = problem.capacity == MemoryProblem::kUnlimited ? planner.minimize() : planner.fit_capacity();
  for (std::int64_t& offset : outcome.plan.offset_of) offset *= unit;
  outcome.plan.height *= unit;
  outcome.bound *= unit;
  MemoryProblem unlimited = problem;
  unlimited.capacity = MemoryProblem::kUnlimited;
  const std::optional<std::string> fault = check(unlimited, outcome.plan);
  HONE_CHECK(!fault, "a memory planner made a plan in which {}", fault.value_or(""));
  return outcome;
}

}  // namespace hone
