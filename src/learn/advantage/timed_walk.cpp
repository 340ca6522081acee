#include "learn/advantage/timed_walk.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/distinct.h"
#include "base/hash.h"

namespace hone {
namespace {

constexpr double kLeastGain = 1e-6;        // that counts, as a share of what the plan takes
constexpr double kSumTolerance = 1e-6;     // by which a sum of kernels may differ from what a plan takes
constexpr std::size_t kMostDescents = 24;  // rounds of changes without evaluating
constexpr std::size_t kKicks = 12;         // drawn, of which those are tried that promise most
constexpr double kLargestRegion = 32;      // decisions that a kick is about
constexpr std::int64_t kRegionSteps = 4;
constexpr double kExploringShare = 0.97;  // of the budget; the rest is for what was learned to help and is not made yet

std::uint64_t row_key(const Decisions& row) { return hash_bytes(std::as_bytes(std::span(row))); }

}  // namespace

TimedWalk::TimedWalk(Search& search, const DecisionUnits& units, const AdvantageParameters& parameters)
    : UnguidedWalk(search, units, parameters), differences_(search.problem(), search.task(), search.start()) {}

bool TimedWalk::is_possible(Search& search) {
  if (!search.task().decides_groups()) return false;
  const std::vector<double> seconds = search.group_seconds(search.task().encode(search.best_plan()));
  const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  return !seconds.empty() && std::abs(sum - search.best().value) <= kSumTolerance * sum;
}

void TimedWalk::run() {
  if (!begin()) return;
  differences_.learn(current_, search_.group_seconds(current_));
  Decisions row = current_;
  for (std::uint32_t unit = 0; unit < units_.single_count(); ++unit) units_.set(row, unit, 0);
  if (!look(row) || !look(descended(row, all_units()))) return;
  while (settle() && search_.share_spent() < kExploringShare && explore()) continue;
}

/// Evaluates decisions, learns what their kernels take and goes on from them if they are better. False when the budget
/// is spent.
bool TimedWalk::look(const Decisions& row) {
  const std::optional<Score> found = evaluate(row);
  if (!found) return false;
  evaluated_.insert(row_key(row));
  if (std::isfinite(found->value)) differences_.learn(row, search_.group_seconds(row));
  if (*found < score_) {
    current_ = row;
    score_ = *found;
  }
  return true;
}

bool TimedWalk::was_evaluated(const Decisions& row) const { return evaluated_.contains(row_key(row)); }

/// Makes all changes that are thought to help until none is; what was guessed wrong is known after each evaluation.
bool TimedWalk::settle() {
  while (true) {
    const Decisions next = descended(current_, all_units(), std::exchange(tried_, {}));
    if (next == current_ || was_evaluated(next)) return true;
    if (!look(next)) return false;
  }
}

/// Tries changes that may help if guesses are wrong, as many as do not meet. False when the budget is spent.
bool TimedWalk::explore() {
  differences_.set(current_);
  for (const auto find : {&TimedWalk::hopeful_singles, &TimedWalk::hopeful_kicks}) {
    Decisions row = current_;
    tried_ = apart((this->*find)());
    for (const Trial& trial : tried_) make(trial, row);
    if (row != current_ && !was_evaluated(row)) return look(row);
  }
  tried_.clear();
  Decisions row = current_;
  mutate(any_unit(), row);
  return look(row);
}

std::vector<TimedWalk::Trial> TimedWalk::hopeful_singles() {
  std::vector<Trial> trials = single_trials(current_, all_units());
  std::erase_if(trials, [](const Trial& trial) { return trial.difference.deviation == 0 || trial.hope() >= 0; });
  std::ranges::sort(trials, {}, &Trial::hope);
  return trials;
}

/// Decisions that hang together take the same option, and what is thought to help after that is changed as well.
TimedWalk::Trial TimedWalk::kick() {
  const std::uint32_t unit = any_unit();
  const auto option = static_cast<std::uint32_t>(rng_.below(units_.at(unit).options));
  const auto reach = static_cast<std::size_t>(std::pow(kLargestRegion, rng_.uniform()));
  const Scope region = units_.neighbourhood(unit, kRegionSteps, reach);
  Decisions row = current_;
  for (const std::uint32_t near : region)
    if (units_.at(near).options == units_.at(unit).options) units_.set(row, near, option);
  row = descended(std::move(row), region);
  Trial trial;
  for (std::uint32_t each = 0; each < units_.single_count(); ++each)
    if (const std::uint32_t now = units_.option(row, each); now != units_.option(current_, each))
      trial.changes.push_back({each, now});
  return trial;
}

std::vector<TimedWalk::Trial> TimedWalk::hopeful_kicks() {
  std::vector<Trial> trials;
  for (std::size_t i = 0; i < kKicks; ++i) trials.push_back(kick());
  differences_.set(current_);
  for (Trial& trial : trials) judge(trial, current_);
  std::erase_if(trials, [](const Trial& trial) { return trial.difference.touched.empty(); });
  std::ranges::sort(trials, {}, &Trial::hope);
  return trials;
}

/// Round by round all changes that are thought to help and do not meet; at first also some that were tried together.
Decisions TimedWalk::descended(Decisions row, Scope scope, std::vector<Trial> first) {
  for (std::size_t round = 0; round < kMostDescents; ++round) {
    differences_.set(row);
    std::vector<Trial> trials = single_trials(row, scope);
    for (Trial& trial : first) judge(trial, row);
    std::ranges::move(std::exchange(first, {}), std::back_inserter(trials));
    std::ranges::move(undone_kernels(row), std::back_inserter(trials));
    std::erase_if(trials, [&](const Trial& trial) { return trial.difference.seconds >= -kLeastGain * score_.value; });
    if (trials.empty()) break;
    std::ranges::sort(trials, {}, [](const Trial& trial) { return trial.difference.seconds; });
    trials = apart(std::move(trials));
    Decisions next = row;
    for (const Trial& trial : trials) make(trial, next);
    if (trials.size() > 1 && differences_.to(next).seconds > trials.front().difference.seconds) {
      trials.resize(1);  // they meet after all, as where a cycle would close
      next = row;
      make(trials.front(), next);
    }
    row = std::move(next);
    scope = units_about(trials);
  }
  return row;
}

std::vector<TimedWalk::Trial> TimedWalk::single_trials(const Decisions& row, std::span<const std::uint32_t> scope) {
  std::vector<Trial> trials;
  for (const std::uint32_t unit : scope)
    for (std::uint32_t option = 0; option < units_.at(unit).options; ++option) {
      if (units_.has_option(row, unit, option)) continue;
      Trial trial{.changes = {{unit, option}}, .difference = {}};
      judge(trial, row);
      if (!trial.difference.touched.empty()) trials.push_back(std::move(trial));
    }
  return trials;
}

/// Kernels that take longer than their operations by themselves, taken apart.
std::vector<TimedWalk::Trial> TimedWalk::undone_kernels(const Decisions& row) {
  std::vector<Trial> trials;
  for (const std::vector<OperationId>& kernel : differences_.slower_than_alone()) {
    Trial trial;
    for (const std::uint32_t unit : units_.within(kernel)) trial.changes.push_back({unit, 0});
    judge(trial, row);
    trials.push_back(std::move(trial));
  }
  return trials;
}

void TimedWalk::judge(Trial& trial, const Decisions& row) {
  Decisions other = row;
  make(trial, other);
  trial.difference = differences_.to(other);
}

void TimedWalk::make(const Trial& trial, Decisions& row) const {
  for (const DecisionChange& change : trial.changes) units_.set(row, change.unit, change.option);
}

/// Of some in their order those that touch no operation of an earlier one.
std::vector<TimedWalk::Trial> TimedWalk::apart(std::vector<Trial> trials) const {
  std::vector<std::uint8_t> is_taken(search_.problem().workload.operation_count());
  std::vector<Trial> kept;
  for (Trial& trial : trials) {
    const std::vector<std::uint32_t>& touched = trial.difference.touched;
    if (std::ranges::any_of(touched, [&](std::uint32_t operation) { return is_taken[operation] != 0; })) continue;
    for (const std::uint32_t operation : touched) is_taken[operation] = 1;
    kept.push_back(std::move(trial));
  }
  return kept;
}

TimedWalk::Scope TimedWalk::all_units() const {
  Scope all(units_.size());
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

/// Units about operations that these touch.
TimedWalk::Scope TimedWalk::units_about(std::span<const Trial> trials) const {
  Scope found;
  for (const Trial& trial : trials)
    for (const std::uint32_t operation : trial.difference.touched) {
      const std::span<const std::uint32_t> about = units_.about(OperationId(operation));
      found.insert(found.end(), about.begin(), about.end());
    }
  return distinct(std::move(found));
}

}  // namespace hone
