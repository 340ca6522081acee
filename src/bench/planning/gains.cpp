#include "bench/planning/gains.h"

#include <algorithm>

#include "base/error.h"

namespace hone {
namespace {

PlanningSearch search_at(const PlanningSpot& spot, std::size_t contender) {
  return {.graph = spot.graph, .setting = spot.setting, .contender = contender, .budget = spot.budget};
}

/// Processor seconds after which both have had the same; all there is where both have ended by themselves.
double equal_seconds(const PlanningOutcome& one, const PlanningOutcome& other) {
  if (one.used_up && other.used_up) return std::min(one.cpu_seconds, other.cpu_seconds);
  if (one.used_up) return one.cpu_seconds;
  if (other.used_up) return other.cpu_seconds;
  return std::max(one.cpu_seconds, other.cpu_seconds);
}

std::optional<std::size_t> place_of(const std::vector<PlanningContender>& contenders, auto wanted) {
  const auto found = std::ranges::find_if(contenders, wanted);
  if (found == contenders.end()) return std::nullopt;
  return static_cast<std::size_t>(found - contenders.begin());
}

}  // namespace

std::optional<std::size_t> PlanningGains::with_role(std::size_t setting, ContenderRole role) const {
  return place_of(contenders(setting), [&](const PlanningContender& contender) { return contender.role == role; });
}

std::optional<std::size_t> PlanningGains::standard(std::size_t setting) const {
  return place_of(contenders(setting),
                  [&](const PlanningContender& contender) { return contender.optimizer == contest_.standard; });
}

template <class Wanted>
std::size_t PlanningGains::best(const PlanningSpot& spot, Wanted wanted) const {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < contenders(spot.setting).size(); ++i)
    if (wanted(contenders(spot.setting)[i]) && (!best || mean_value(spot, i) < mean_value(spot, *best))) best = i;
  HONE_CHECK(best.has_value(), "the contest has nobody to beat");
  return *best;
}

std::size_t PlanningGains::best_rival(const PlanningSpot& spot) const {
  return best(spot, [](const PlanningContender& contender) { return contender.is_rival(); });
}

std::size_t PlanningGains::best_classical(const PlanningSpot& spot) const {
  return best(spot, [](const PlanningContender& contender) { return contender.role == ContenderRole::classical; });
}

double PlanningGains::mean_value(const PlanningSpot& spot, std::size_t contender) const {
  return results_.mean_value(search_at(spot, contender));
}

double PlanningGains::mean_cpu_seconds(const PlanningSpot& spot, std::size_t contender) const {
  return results_.mean_cpu_seconds(search_at(spot, contender));
}

double PlanningGains::gain(const PlanningSpot& spot, std::size_t contender, std::size_t other, EqualShare share) const {
  if (share == EqualShare::evaluations) return percent_below(mean_value(spot, contender), mean_value(spot, other));
  double mine = 0, others = 0;
  for (std::size_t seed = 0; seed < results_.seeds(); ++seed) {
    PlanningSearch search = search_at(spot, contender), rival = search_at(spot, other);
    search.seed = rival.seed = seed;
    const double seconds = equal_seconds(results_.of(search), results_.of(rival));
    mine += results_.of(search).after(seconds);
    others += results_.of(rival).after(seconds);
  }
  return percent_below(mine, others);
}

}  // namespace hone
