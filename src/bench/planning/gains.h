#pragma once

#include <optional>

#include "bench/planning/contest.h"
#include "bench/planning/results.h"

namespace hone {

/// Where a comparison takes place: a graph and a setting by their places, and what every search may spend.
struct PlanningSpot {
  std::size_t graph = 0, setting = 0, budget = 0;
};

/// What two searches have had when they are compared.
enum class EqualShare : std::uint8_t { evaluations, cpu_seconds };

/// How much better searches are than others, graph by graph. What it is made of must outlive it.
class PlanningGains {
 public:
  PlanningGains(const PlanningContest& contest, const PlanningResults& results)
      : contest_(contest), results_(results) {}

  const PlanningContest& contest() const { return contest_; }
  const PlanningResults& results() const { return results_; }
  const std::vector<PlanningContender>& contenders(std::size_t setting) const {
    return contest_.contenders(contest_.settings[setting].objective);
  }
  /// Whether the searches were run there.
  bool ran(std::size_t graph, std::size_t setting) const { return results_.has({.graph = graph, .setting = setting}); }
  /// The first contender of a role; none where the role is not taken.
  std::optional<std::size_t> with_role(std::size_t setting, ContenderRole role) const;
  std::optional<std::size_t> standard(std::size_t setting) const;
  /// The lowest mean over seeds, among all that learning has to beat; among those that are classical and no default.
  std::size_t best_rival(const PlanningSpot& spot) const;
  std::size_t best_classical(const PlanningSpot& spot) const;

  double mean_value(const PlanningSpot& spot, std::size_t contender) const;
  double mean_cpu_seconds(const PlanningSpot& spot, std::size_t contender) const;
  /// Percent by which the mean of one contender is below that of another. At equal processor seconds both are taken as
  /// they were when the first of them had spent its evaluations; one that ends by itself needs no more time.
  double gain(const PlanningSpot& spot, std::size_t contender, std::size_t other, EqualShare share) const;

 private:
  template <class Wanted>
  std::size_t best(const PlanningSpot& spot, Wanted wanted) const;

  const PlanningContest& contest_;
  const PlanningResults& results_;
};

/// Percent by which a value is below another.
inline double percent_below(double value, double other) { return 100 * (1 - value / other); }

}  // namespace hone
