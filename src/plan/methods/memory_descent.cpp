#include "plan/methods/memory_descent.h"

#include <algorithm>
#include <limits>

namespace hone {
namespace {

constexpr double kFirstRate = 0.3, kLeastRate = 0.03, kOldRates = 0.98;  // of success
constexpr double kMore = 1.2, kFewer = 0.95;  // times as many changes at once after success and failure
constexpr double kMostMoved = 0.1;            // of all operations, at once
constexpr double kUnknown = std::numeric_limits<double>::infinity();  // anything is better
constexpr double kLetGo = 1.02;  // times the score that is accepted when patience has ended

}  // namespace

MemoryDescent::MemoryDescent(Search& search, const Durations& durations, MemoryMoves& moves,
                             const MemoryDescentParameters& parameters, std::uint64_t label)
    : search_(search),
      durations_(durations),
      moves_(moves),
      parameters_(parameters),
      rng_(search.rng().split(label)),
      acceptance_(static_cast<std::size_t>(parameters.late)) {
  success_.fill(kFirstRate);
  moved_.fill(1);
}

void MemoryDescent::begin_boldly(double share) {
  moved_.fill(std::max(1.0, share * static_cast<double>(search_.problem().workload.operation_count())));
}

Score MemoryDescent::score_of(const Cost& cost) const {
  return score_by(search_.problem().objective, cost, objective_);
}

void MemoryDescent::begin_at(Decisions row, const Cost& cost) {
  score_ = score_of(cost);
  best_score_ = {.excess = kUnknown, .value = kUnknown};
  acceptance_.restart(score_);
  go_to(std::move(row), cost);
}

void MemoryDescent::run(double until) {
  runs_.reset();  // others have used the moves meanwhile
  while (search_.share_spent() < until && step()) continue;
}

/// The end of a search is judged by the peak itself.
void MemoryDescent::judge_anew() {
  if (objective_ == DescentObjective::score || search_.share_spent() < parameters_.smooth) return;
  objective_ = DescentObjective::score;
  begin_at(best_, best_cost_);
}

/// Has the current plan carried out if it was not; false when the budget is spent or nobody can tell.
bool MemoryDescent::play() {
  if (runs_) return true;
  const std::optional<Timeline> timeline = search_.trace(current_.row);
  if (!timeline || timeline->runs.size() != current_.plan.device_of.size()) return false;
  runs_.emplace(durations_, current_.plan, *timeline);
  moves_.settle(current_.plan, *runs_);
  return true;
}

MemoryMoves::Kind MemoryDescent::pick_kind() {
  double sum = 0;
  for (const double rate : success_) sum += rate + kLeastRate;
  double lot = rng_.uniform() * sum;
  std::size_t kind = 0;
  while (kind + 1 < success_.size() && lot >= success_[kind] + kLeastRate) lot -= success_[kind++] + kLeastRate;
  return static_cast<MemoryMoves::Kind>(kind);
}

/// Those of the current plan, but for what another one does otherwise. Encoding all of it would take as long as
/// carrying it out.
Decisions MemoryDescent::decisions_for(const Plan& plan) const {
  Decisions row = current_.row;
  for (std::size_t i = 0; i < plan.device_of.size(); ++i) {
    const bool moves = plan.device_of[i] != current_.plan.device_of[i];
    const bool waits = plan.priority[i] != current_.plan.priority[i];
    if (!moves && !waits) continue;
    const std::vector<DeviceId>& devices = durations_.choices().devices(durations_.choices().choice_of(OperationId(i)));
    const auto option = static_cast<std::uint32_t>(std::ranges::find(devices, plan.device_of[i]) - devices.begin());
    for (const std::uint32_t index : search_.task().sites_about(OperationId(i))) {
      const Site& site = search_.task().sites()[index];
      if (moves && site.field == PlanField::device) row[index] = key_of(option, site.options);
      if (waits && site.field == PlanField::priority) row[index] = std::clamp(plan.priority[i], 0.0F, 1.0F);
    }
  }
  return row;
}

/// Some changed plans with their costs; fewer than there should be when the budget is spent.
std::vector<MemoryDescent::Offer> MemoryDescent::evaluated_offers() {
  std::vector<Offer> offers;
  Decisions rows;
  for (std::int64_t i = 0; i < parameters_.batch; ++i) {
    const MemoryMoves::Kind kind = pick_kind();
    const double moved = moved_[static_cast<std::size_t>(kind)] * 2 * rng_.uniform();
    Plan plan = moves_.changed(kind, std::max<std::size_t>(1, static_cast<std::size_t>(moved)), rng_);
    const Decisions row = decisions_for(plan);
    rows.insert(rows.end(), row.begin(), row.end());
    offers.push_back({row, {}, kind});
  }
  const std::span<const Cost> costs = search_.evaluate(rows);
  offers.resize(costs.size());
  for (std::size_t i = 0; i < costs.size(); ++i) offers[i].cost = costs[i];
  return offers;
}

void MemoryDescent::learn(MemoryMoves::Kind kind, bool is_better) {
  const auto index = static_cast<std::size_t>(kind);
  const double most = std::max(1.0, kMostMoved * static_cast<double>(current_.plan.device_of.size()));
  success_[index] = kOldRates * success_[index] + (1 - kOldRates) * (is_better ? 1 : 0);
  moved_[index] = std::clamp(moved_[index] * (is_better ? kMore : kFewer), 1.0, most);
}

void MemoryDescent::go_to(Decisions row, const Cost& cost) {
  current_.plan = by_operation(search_.start(), search_.problem().workload);
  search_.task().apply(row, current_.plan);
  current_.plan.priority.resize(current_.plan.device_of.size());
  current_.row = std::move(row);
  score_ = score_of(cost);
  runs_.reset();
  if (!(score_ < best_score_)) return;
  best_ = current_.row;
  best_cost_ = cost;
  best_score_ = score_;
  idle_ = 0;
}

/// Back at the best, plans that are a little worse are good enough for a while.
void MemoryDescent::let_go() {
  idle_ = 0;
  go_to(best_, best_cost_);
  Score worse = best_score_;
  worse.value *= kLetGo;
  acceptance_.restart(worse);
}

/// Tries some changes and goes to the best of them if it is good enough; false when the budget is spent.
bool MemoryDescent::step() {
  judge_anew();
  if (!play()) return false;
  std::vector<Offer> offers = evaluated_offers();
  if (offers.empty()) return false;
  for (const Offer& offer : offers) learn(offer.kind, score_of(offer.cost) < score_);
  Offer& best = *std::ranges::min_element(offers, {}, [&](const Offer& offer) { return score_of(offer.cost); });
  idle_ += parameters_.batch;
  if (acceptance_.accepts(score_of(best.cost), score_)) go_to(std::move(best.row), best.cost);
  if (idle_ >= parameters_.patience) let_go();
  return !search_.spent();
}

}  // namespace hone
