#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/catalogue/bench_case.h"
#include "bench/go/placement_contest.h"
#include "plan/search/search.h"

namespace hone {

/// What one search of a placement came to.
struct PlacementOutcome {
  /// The best of the plans that fit so far.
  struct Point {
    std::uint64_t evaluations = 0;
    double seconds = 0;
  };

  std::optional<double> seconds;  // of a step; nothing when no plan fits
  std::uint64_t evaluations = 0;
  double cpu_seconds = 0;
  std::vector<Point> curve;

  PlacementOutcome() = default;
  PlacementOutcome(const Solution& solution, double cpu_seconds_spent);
  explicit PlacementOutcome(const nlohmann::ordered_json& json);
  nlohmann::ordered_json json() const;

  /// After how many evaluations a plan of so many seconds was found.
  std::optional<std::uint64_t> reached(double wanted_seconds) const;
};

/// All outcomes for one graph.
class PlacementRow {
 public:
  PlacementRow(const PlacementContest& contest, PlacementGraph graph, std::size_t operations)
      : contest_(contest), graph_(std::move(graph)), operations_(operations) {}

  const PlacementGraph& graph() const { return graph_; }
  void set(std::size_t contender, std::size_t seed, PlacementOutcome outcome) {
    outcomes_[{contender, seed}] = std::move(outcome);
  }
  /// A plan made by hand that fits, of so many seconds.
  void add_expert(double seconds);

  /// Mean over seeds of a contender; nothing when it did not run or a seed found no plan that fits.
  std::optional<double> mean_seconds(std::size_t contender) const;
  /// The least of all contenders of a role; of experts, plans made by hand among them.
  std::optional<double> best(PlacerRole role) const;
  /// The least of all in which nothing was learned.
  std::optional<double> best_classical() const;
  /// Evaluations after which the first contender of a role, with its first seed, had such a plan; all that it had where
  /// it never did.
  std::optional<std::uint64_t> evaluations_to(PlacerRole role, double seconds) const;
  /// After how many evaluations HDP had found its best plan.
  std::optional<std::uint64_t> evaluations_of_best(PlacerRole role) const;

  /// The row of the table.
  nlohmann::ordered_json json() const;
  /// What learners had found after how many evaluations, a row each.
  std::vector<nlohmann::ordered_json> curves() const;

 private:
  const PlacementContest& contest_;
  PlacementGraph graph_;
  std::size_t operations_;
  std::optional<double> expert_;
  std::map<std::pair<std::size_t, std::size_t>, PlacementOutcome> outcomes_;  // by contender and seed
};

/// The figures that GO is judged by; those for which a method is missing are left out.
nlohmann::ordered_json placement_summary(std::span<const PlacementRow> rows);

}  // namespace hone
