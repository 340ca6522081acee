#include "learn/policy/guided_descent.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hone {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();  // anything is better
constexpr double kMostLiked = 500;                                    // sums of exponentials stay finite
constexpr std::uint64_t kDescentStream = 0xDE5C;  // of random numbers, apart from those of other parts of a search

}  // namespace

double logit_of(const MoveWeights& weights, const PlanMove& move) {
  constexpr std::size_t kLanes = 4;  // that are added up side by side
  static_assert(kMoveFeatures % kLanes == 0);
  const std::span<const float> own = weights.of(move.operation);
  std::array<float, kLanes> sums{};
  for (std::size_t i = 0; i < kMoveFeatures; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += own[i + lane] * move.features[i + lane];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

GuidedDescent::GuidedDescent(Search& search, const GraphView& graph, MoveWeights weights,
                             const DescentParameters& parameters)
    : search_(search),
      weights_(std::move(weights)),
      parameters_(parameters),
      plan_(search, graph, parameters.focus),
      rng_(search.rng().split(kDescentStream)) {}

void GuidedDescent::run(const Decisions& start, double until, DescentObjective objective) {
  const std::span<const Cost> costs = search_.evaluate(start);
  if (costs.empty()) return;
  objective_ = objective;
  acceptance_ =
      LateAcceptance(objective == DescentObjective::smooth_peak ? static_cast<std::size_t>(parameters_.late) : 0);
  base_score_ = score_ = score_by(search_.problem().objective, costs.front(), objective_);
  acceptance_.restart(score_);
  base_ = start;
  plan_.go_to(start);
  until_played_ = 0;
  while (descend(until) && perturb()) continue;
}

/// Tries moves until none has helped for long; false when the budget is spent.
bool GuidedDescent::descend(double until) {
  for (std::int64_t idle = 0; idle < parameters_.patience; idle += parameters_.batch) {
    const Score before = score_;
    if (search_.share_spent() >= until || !step()) return false;
    if (score_ < before) idle = 0;
  }
  return true;
}

bool GuidedDescent::play_again() {
  if (until_played_ > 0) return true;
  until_played_ = parameters_.refresh;
  return plan_.play();
}

std::optional<PlanMove> GuidedDescent::pick() {
  if (rng_.uniform() < parameters_.blind) return plan_.draw(rng_);
  std::optional<PlanMove> picked;
  double total = 0;
  for (std::int64_t i = 0; i < parameters_.offers; ++i) {
    std::optional<PlanMove> offer = plan_.draw(rng_);
    if (!offer) continue;
    const double weight = std::exp(std::min(logit_of(weights_, *offer), kMostLiked));
    total += weight;
    if (rng_.uniform() * total < weight) std::swap(picked, offer);  // in the end each is picked as likely as it weighs
    if (offer) plan_.moves().discard(*std::move(offer));
  }
  return picked;
}

/// Has some moves evaluated and makes the best of them if it is good enough; false when the budget is spent.
bool GuidedDescent::step() {
  if (!play_again()) return false;
  rows_.clear();
  for (PlanMove& move : tried_) plan_.moves().discard(std::move(move));
  tried_.clear();
  const std::size_t sites = plan_.decisions().size();
  for (std::int64_t i = 0; i < parameters_.batch; ++i) {
    std::optional<PlanMove> move = pick();
    if (!move) continue;
    rows_.insert(rows_.end(), plan_.decisions().begin(), plan_.decisions().end());
    plan_.write(*move, std::span(rows_).last(sites));
    tried_.push_back(*std::move(move));
  }
  until_played_ -= parameters_.batch;
  if (tried_.empty()) return true;  // another draw will find some, or playing again spends the budget
  const std::span<const Cost> costs = search_.evaluate(rows_);
  make_best(costs);
  return costs.size() == tried_.size();
}

void GuidedDescent::make_best(std::span<const Cost> costs) {
  std::size_t best = costs.size();
  Score best_score;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const Score score = score_by(search_.problem().objective, costs[i], objective_);
    if (!(score < score_)) plan_.moves().failed(tried_[i]);
    if (i > 0 && !(score < best_score)) continue;
    best = i;
    best_score = score;
  }
  if (best == costs.size() || !acceptance_.accepts(best_score, score_)) return;
  plan_.take(tried_[best]);
  const bool is_better = best_score < score_;
  score_ = best_score;
  if (!is_better) return;
  plan_.moves().helped();
  until_played_ = 0;
}

/// Goes back to the best unless this is as good, and from there some moves away.
bool GuidedDescent::perturb() {
  if (score_ <= base_score_) {
    base_score_ = score_;
    base_ = plan_.decisions();
  }
  plan_.go_to(base_);
  if (!plan_.play()) return false;
  for (std::int64_t i = 0; i < parameters_.kick; ++i)
    if (const std::optional<PlanMove> move = plan_.draw(rng_)) plan_.take(*move);
  score_ = {.excess = kUnknown, .value = kUnknown};
  acceptance_.restart(score_);
  until_played_ = 0;
  return true;
}

}  // namespace hone
