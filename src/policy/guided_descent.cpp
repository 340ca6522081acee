#include "policy/guided_descent.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hone {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();  // anything is better
constexpr std::uint64_t kDescentStream = 0xDE5C;  // of random numbers, apart from those of other parts of a search

}  // namespace

double liking(const MoveTaste& taste, const PlanMove& move) {
  const std::span<const float> weights = taste.of(move.work);
  return std::inner_product(weights.begin(), weights.end(), move.sights.begin(), 0.0F);
}

GuidedDescent::GuidedDescent(Search& search, const GraphView& graph, MoveTaste taste,
                             const DescentParameters& parameters)
    : search_(search),
      taste_(std::move(taste)),
      parameters_(parameters),
      plan_(search, graph, parameters.focus),
      rng_(search.rng().split(kDescentStream)) {}

void GuidedDescent::run(const Decisions& start, double until) {
  const std::span<const Cost> costs = search_.evaluate(start);
  if (costs.empty()) return;
  base_score_ = score_ = search_.score(costs.front());
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
  double best = -kUnknown;
  for (std::int64_t i = 0; i < parameters_.offers; ++i) {
    std::optional<PlanMove> offer = plan_.draw(rng_);
    if (!offer) continue;
    // With Gumbel's distribution added, the largest is a draw from the softmax.
    const double liked = liking(taste_, *offer) - std::log(-std::log(std::max(rng_.uniform(), 1e-300)));
    if (liked <= best) continue;
    best = liked;
    picked = std::move(offer);
  }
  return picked;
}

/// Has some moves evaluated and makes the best of them that is no worse; false when the budget is spent.
bool GuidedDescent::step() {
  if (!play_again()) return false;
  rows_.clear();
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
  const Score before = score_;
  std::size_t best = costs.size();
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const Score score = search_.score(costs[i]);
    if (!(score < before)) plan_.moves().failed(tried_[i]);
    if (score < score_ || (score == score_ && best == costs.size())) {
      best = i;
      score_ = score;
    }
  }
  if (best == costs.size()) return;
  plan_.take(tried_[best]);
  if (!(score_ < before)) return;
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
  until_played_ = 0;
  return true;
}

}  // namespace hone
