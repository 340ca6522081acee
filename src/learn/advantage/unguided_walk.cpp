#include "learn/advantage/unguided_walk.h"

#include <utility>

namespace hone {
namespace {

constexpr std::size_t kMostNeighbours = 32;  // that are decided anew at once

}  // namespace

Parameters AdvantageParameters::list() {
  return Parameters()
      .add("policy", &policy,
           "a built-in policy or a file; `none`: random search; `untrained`: weights at random; `zero-step`: what "
           "learning starts from; the one for what is decided if empty")
      .add("rank", &rank,
           "what decisions are picked by: predicted advantages, or their magnitude alone and random changes there, as "
           "published",
           {"signed", "absolute"})
      .add("alpha", &alpha, {0.001, 100}, "percent of all changes, the best by the policy, of which one is drawn")
      .add("steps", &steps, {0, 16}, "from a decision to the neighbours that are decided anew with it")
      .add("spread", &spread, {0, 1}, "chance that a neighbour is")
      .add("flips", &flips, "whether changes that are predicted to help are made many at a time and checked together",
           {"many", "single"})
      .add("learning", &learning, "whether predictions follow what evaluations show", {"online", "offline"});
}

UnguidedWalk::UnguidedWalk(Search& search, const DecisionUnits& units, const AdvantageParameters& parameters)
    : search_(search),
      units_(units),
      parameters_(parameters),
      rng_(search.rng()),
      current_(search.task().encode(search.best_plan())) {}

bool UnguidedWalk::begin() {
  const std::optional<Score> first = evaluate(current_);
  if (first) score_ = *first;
  return first.has_value();
}

std::optional<Score> UnguidedWalk::evaluate(const Decisions& row) {
  const std::span<const Cost> costs = search_.evaluate(row);
  if (costs.empty()) return std::nullopt;
  return search_.score(costs.front());
}

std::vector<std::uint32_t> UnguidedWalk::mutate(std::uint32_t unit, Decisions& row) {
  std::vector<std::uint32_t> changed;
  for (const std::uint32_t near : units_.neighbourhood(unit, parameters_.steps, kMostNeighbours)) {
    if (near != unit && rng_.uniform() >= parameters_.spread) continue;
    const std::uint32_t now = units_.option(row, near);
    auto option = static_cast<std::uint32_t>(rng_.below(units_.at(near).options - 1));
    if (option >= now) ++option;
    units_.set(row, near, option);
    changed.push_back(near);
  }
  return changed;
}

void UnguidedWalk::run() {
  if (!begin()) return;
  while (!search_.spent()) {
    Decisions row = current_;
    mutate(any_unit(), row);
    const std::optional<Score> found = evaluate(row);
    if (!found) return;
    if (*found <= score_) {
      score_ = *found;
      current_ = std::move(row);
    }
  }
}

}  // namespace hone
