#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "bench/planning/gains.h"
#include "bench/planning/interval.h"

namespace hone {

/// What is said of some of the graphs of a comparison, each figure with its 95 % interval over graphs; null where a
/// contender that it is about does not take part. Several settings of one graph are one number, so that an interval
/// does not take them for graphs of their own.
class PlanningFigures {
 public:
  /// `gains` must outlive it.
  PlanningFigures(const PlanningGains& gains, std::vector<std::size_t> graphs)
      : gains_(gains), graphs_(std::move(graphs)) {}

  /// Of the learned search, of the usual one, and of the genetic algorithm that a policy guides.
  nlohmann::ordered_json json() const;
  /// By objective and contender: percent below the best rival of every graph, by budget and machine.
  nlohmann::ordered_json methods() const;

 private:
  /// A number for a graph in a setting; none where it was not run or somebody does not take part.
  using AtSpot = std::function<std::optional<double>(std::size_t graph, std::size_t setting)>;
  using Counts = std::function<bool(const PlanningSetting&)>;
  /// Who is compared with.
  enum class Rival : std::uint8_t { best, without_policy };

  /// The genetic algorithm that a policy guides and the plain one, by their places, where headroom is measured.
  struct GuidedPair {
    std::size_t setting = 0, regal = 0, standard = 0;
  };

  /// By graph: the number in every setting that counts.
  std::vector<std::vector<double>> numbers(const Counts& counts, const AtSpot& number) const;
  nlohmann::ordered_json mean(const Counts& counts, const AtSpot& number) const;
  nlohmann::ordered_json least(const Counts& counts, const AtSpot& number) const;
  /// A figure of all settings, with those of either objective in it.
  template <class Figure>
  static nlohmann::ordered_json by_objective(Figure figure);

  /// Percent by which the learned search is below a rival.
  AtSpot learned_gain(Rival rival, std::size_t budget, EqualShare share) const;
  AtSpot usual_gain() const;
  nlohmann::ordered_json over_best(const Objective& objective, EqualShare share) const;
  nlohmann::ordered_json policy_percent(EqualShare share) const;
  nlohmann::ordered_json at_least_budget(EqualShare share) const;
  nlohmann::ordered_json wins() const;
  nlohmann::ordered_json regal_over_standard() const;
  nlohmann::ordered_json headroom_captured() const;
  nlohmann::ordered_json overhead() const;
  /// The same comparisons after equal processor seconds, and which of them have another sign then.
  nlohmann::ordered_json at_equal_seconds() const;
  nlohmann::ordered_json method(const PlanningField& field, std::size_t contender) const;
  std::optional<GuidedPair> guided_pair() const;

  const PlanningGains& gains_;
  std::vector<std::size_t> graphs_;
};

}  // namespace hone
