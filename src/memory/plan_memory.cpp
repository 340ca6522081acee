#include "memory/plan_memory.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>

#include "memory/best_fit.h"
#include "memory/pack_search.h"

namespace hone {
namespace {

using Outcome = PackSearch::Outcome;

/// More buffers than this in one stretch of time are left to best fit: the search recurses once a buffer.
constexpr std::size_t kMostSearched = 4096;
constexpr std::uint64_t kFirstNodes = 512;  // of one search; the next round has kGrowth times as many
constexpr std::uint64_t kGrowth = 2;
constexpr std::size_t kLearnedTurns = 6;  // in a round, besides the fixed orders
/// A probe at one height while minimising may visit this many nodes at first, and more in every round.
constexpr std::uint64_t kFirstProbeNodes = 16384;
constexpr std::uint64_t kProbeGrowth = 4;

/// Which buffers searches failed at: those come first the next time, so that what is hardest is decided early.
class Blame {
 public:
  Blame(const Sections& sections, std::size_t buffers) : sections_(sections), share_(buffers) {}

  /// Adds the failures of a search over `order`; what was learned before fades.
  void learn(std::span<const std::uint32_t> order, const std::vector<std::uint64_t>& failures);
  /// The buffers to blame most first: each for itself, or with all that live at the same time.
  std::vector<std::uint32_t> sorted_alone(std::vector<std::uint32_t> buffers) const;
  std::vector<std::uint32_t> sorted_together(std::vector<std::uint32_t> buffers) const;

 private:
  const Sections& sections_;
  std::vector<double> share_;  // by buffer
};

void Blame::learn(std::span<const std::uint32_t> order, const std::vector<std::uint64_t>& failures) {
  constexpr double kKept = 0.8;
  const double sum = 1 + static_cast<double>(std::accumulate(failures.begin(), failures.end(), std::uint64_t{0}));
  for (std::size_t i = 0; i < order.size(); ++i)
    share_[order[i]] = kKept * share_[order[i]] + static_cast<double>(failures[i]) / sum;
}

std::vector<std::uint32_t> Blame::sorted_alone(std::vector<std::uint32_t> buffers) const {
  std::ranges::stable_sort(buffers, std::greater(), [this](std::uint32_t i) { return share_[i]; });
  return buffers;
}

std::vector<std::uint32_t> Blame::sorted_together(std::vector<std::uint32_t> buffers) const {
  std::vector<double> sum(share_.size());
  for (const std::uint32_t i : buffers)
    for (const std::uint32_t j : buffers)
      if (share_[j] > 0 && sections_.span_of[i].overlaps(sections_.span_of[j])) sum[i] += share_[j];
  std::ranges::stable_sort(buffers, std::greater(), [&](std::uint32_t i) { return sum[i]; });
  return buffers;
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
  std::vector<std::uint32_t> order_for(std::size_t turn, std::span<const std::uint32_t> part, const Blame& blame) const;
  void lower_in_round(std::uint64_t probe_nodes);
  bool used_up() const { return outcome_.nodes >= budget_.nodes || std::chrono::steady_clock::now() >= deadline_; }
  bool searchable() const;

  const MemoryProblem& problem_;
  MemoryBudget budget_;
  std::chrono::steady_clock::time_point deadline_;
  Sections sections_;
  std::vector<std::vector<std::uint32_t>> parts_;
  std::vector<std::int64_t> offset_of_;  // of the packing under way
  MemoryOutcome outcome_;
};

std::chrono::steady_clock::time_point after(double seconds) {
  constexpr double kLongestSeconds = 1e8;  // what a clock can add without overflow
  return std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                std::chrono::duration<double>(std::min(seconds, kLongestSeconds)));
}

Planner::Planner(const MemoryProblem& problem, const MemoryBudget& budget)
    : problem_(problem), budget_(budget), deadline_(after(budget.seconds)), sections_(problem) {
  parts_ = sections_.independent_parts();
  for (std::vector<std::uint32_t>& part : parts_)
    std::erase_if(part, [&](std::uint32_t i) { return problem.buffers[i].size == 0; });
  outcome_.bound = live_bytes_bound(problem);
  outcome_.plan = best_fit(problem, sections_);
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

/// The order for a turn: first the fixed ones, then those that earlier failures suggest.
std::vector<std::uint32_t> Planner::order_for(std::size_t turn, std::span<const std::uint32_t> part,
                                              const Blame& blame) const {
  if (turn < kMemoryOrders.size()) return sorted_by(kMemoryOrders[turn], problem_, sections_, part);
  std::vector<std::uint32_t> order = sorted_by(MemoryOrder::peak_lifetime, problem_, sections_, part);
  return turn % 2 == 0 ? blame.sorted_together(std::move(order)) : blame.sorted_alone(std::move(order));
}

/// Which order of buffers leads to a plan quickly is not known beforehand: all take turns, with more nodes every round.
Outcome Planner::pack_part(std::span<const std::uint32_t> part, std::int64_t capacity, std::uint64_t nodes) {
  const std::uint64_t end = outcome_.nodes + std::min(nodes, budget_.nodes - std::min(budget_.nodes, outcome_.nodes));
  Blame blame(sections_, problem_.buffers.size());
  std::uint64_t limit = kFirstNodes;
  for (std::size_t turn = 0; outcome_.nodes < end && !used_up(); ++turn) {
    if (turn == kMemoryOrders.size() + kLearnedTurns) {
      turn = 0;
      limit *= kGrowth;
    }
    const std::vector<std::uint32_t> order = order_for(turn, part, blame);
    PackSearch search(problem_, sections_, order);
    const Outcome outcome =
        search.run(capacity, {.nodes = std::min(limit, end - outcome_.nodes), .deadline = deadline_});
    outcome_.nodes += search.nodes();
    blame.learn(order, search.failures());
    if (outcome == Outcome::impossible) return outcome;
    if (outcome == Outcome::stopped) continue;
    for (std::size_t i = 0; i < order.size(); ++i) offset_of_[order[i]] = search.offsets()[i];
    return outcome;
  }
  return Outcome::stopped;
}

MemoryOutcome Planner::fit_capacity() {
  if (outcome_.plan.height > problem_.capacity && outcome_.bound <= problem_.capacity && searchable()) {
    const Outcome outcome = pack(problem_.capacity, budget_.nodes);
    if (outcome == Outcome::found) outcome_.plan = {offset_of_, height_of(problem_, offset_of_)};
    if (outcome == Outcome::impossible) outcome_.bound = problem_.capacity + 1;
  }
  outcome_.fits = outcome_.plan.height <= problem_.capacity;
  return outcome_;
}

/// Probes the bound, then halves the distance between the lowest height not given up in this round and the best plan.
void Planner::lower_in_round(std::uint64_t probe_nodes) {
  std::int64_t hope = outcome_.bound, target = hope;
  for (; hope < outcome_.plan.height && !used_up(); target = hope + (outcome_.plan.height - hope) / 2) {
    const Outcome outcome = pack(target, probe_nodes);
    if (outcome == Outcome::found) outcome_.plan = {offset_of_, height_of(problem_, offset_of_)};
    if (outcome == Outcome::impossible) outcome_.bound = target + 1;
    if (outcome != Outcome::found) hope = target + 1;
  }
}

MemoryOutcome Planner::minimize() {
  for (std::uint64_t nodes = kFirstProbeNodes; searchable() && !outcome_.optimal() && !used_up(); nodes *= kProbeGrowth)
    lower_in_round(nodes);
  outcome_.fits = true;
  return outcome_;
}

}  // namespace

MemoryOutcome plan_memory(const MemoryProblem& problem, const MemoryBudget& budget) {
  require_valid(problem);
  Planner planner(problem, budget);
  return problem.capacity == MemoryProblem::kUnlimited ? planner.minimize() : planner.fit_capacity();
}

}  // namespace hone
