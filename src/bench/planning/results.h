#pragma once

#include <compare>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "plan/search/search.h"

namespace hone {

/// One search of the comparison: the places of its graph, setting, contender and budget in their lists, and its seed.
struct PlanningSearch {
  std::size_t graph = 0, setting = 0, contender = 0, budget = 0, seed = 0;

  friend auto operator<=>(const PlanningSearch&, const PlanningSearch&) = default;
};

/// What a search came to.
struct PlanningOutcome {
  double value = 0;
  double cpu_seconds = 0;      // of its thread: a busy machine makes a search wait, but costs it little of these
  bool used_up = true;         // all evaluations it had; else there was nothing left to try
  std::vector<double> course;  // the best so far, from the start to the end, at equal distances of time

  PlanningOutcome() = default;
  PlanningOutcome(const Solution& solution, double seconds);
  explicit PlanningOutcome(const nlohmann::ordered_json& json);
  nlohmann::ordered_json json() const;

  /// The best it had after so many processor seconds.
  double after(double seconds) const;
};

/// What was found by all searches.
class PlanningResults {
 public:
  explicit PlanningResults(std::size_t seeds) : seeds_(seeds) {}

  void set(const PlanningSearch& search, PlanningOutcome outcome) { outcomes_[search] = std::move(outcome); }
  /// A long search beside the table has found a plan of this value for a graph.
  void reach(std::size_t graph, double value) { reached_[graph] = value; }

  std::size_t seeds() const { return seeds_; }
  bool has(const PlanningSearch& search) const { return outcomes_.contains(search); }
  const PlanningOutcome& of(const PlanningSearch& search) const { return outcomes_.at(search); }
  const std::map<PlanningSearch, PlanningOutcome>& all() const { return outcomes_; }
  bool has_reached(std::size_t graph) const { return reached_.contains(graph); }
  double reached(std::size_t graph) const { return reached_.at(graph); }

  /// Means over all seeds, whichever `search` names.
  double mean_value(const PlanningSearch& search) const;
  double mean_cpu_seconds(const PlanningSearch& search) const;

 private:
  template <class Figure>
  double mean(PlanningSearch search, Figure figure) const;

  std::size_t seeds_;
  std::map<PlanningSearch, PlanningOutcome> outcomes_;
  std::map<std::size_t, double> reached_;  // by graph
};

}  // namespace hone
