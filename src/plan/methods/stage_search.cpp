#include "plan/methods/stage_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "plan/methods/descent_objective.h"

namespace hone {
namespace {

constexpr std::size_t kMostCuts = 12;  // of one line; by then stages hold about the same
constexpr double kCutBefore = 1.02;    // for every cut a line promises that much less

}  // namespace

StageSearch::StageSearch(Search& search, const StageLines& lines, Plan start)
    : search_(search), lines_(lines), start_(std::move(start)) {}

void StageSearch::add(StageLine line, Waiting waiting) {
  tried_.push_back({.line = std::move(line), .waiting = waiting});
  if (!cut(tried_.back())) tried_.pop_back();
}

void StageSearch::refine(double until, std::uint64_t evaluations) {
  const std::uint64_t end = search_.evaluations() + evaluations;
  while (!tried_.empty() && search_.share_spent() < until && search_.evaluations() < end) {
    Tried& next = *std::ranges::min_element(tried_, {}, [](const Tried& tried) {
      return tried.promise_bytes * std::pow(kCutBefore, static_cast<double>(tried.cuts));
    });
    if (next.cuts >= kMostCuts || next.promise_bytes > best_.cost.peak_bytes) return;
    if (!cut(next)) return;
  }
}

/// False when the budget is spent or nobody can tell what devices hold.
bool StageSearch::cut(Tried& tried) {
  Plan plan = lines_.cut(tried.line, start_);
  plan.waiting = tried.waiting;
  EvaluatedRow evaluated{.row = search_.task().encode(plan), .cost = {}};
  const std::optional<Timeline> timeline = search_.trace(evaluated.row);
  if (!timeline) return false;
  evaluated.cost = timeline->cost;
  const double mean = std::accumulate(timeline->peak_bytes.begin(), timeline->peak_bytes.end(), 0.0) /
                      static_cast<double>(timeline->peak_bytes.size());
  tried.promise_bytes = mean * std::sqrt(mean / std::max(1.0, std::ranges::max(timeline->peak_bytes)));
  tried.line = lines_.balanced(std::move(tried.line), plan, timeline->peak_bytes);
  ++tried.cuts;
  const auto score_of = [&](const EvaluatedRow& row) {
    return score_by(search_.problem().objective, row.cost, DescentObjective::smooth_peak);
  };
  if (best_.row.empty() || score_of(evaluated) < score_of(best_)) best_ = std::move(evaluated);
  return true;
}

}  // namespace hone
