#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hone {

/// What one search came to on the way.
struct AdvantageCurve {
  struct Point {
    std::uint64_t evaluations = 0;
    double value = 0;
  };
  std::vector<Point> points;  // every improvement; the first is the start
  double cpu_seconds = 0;

  double start() const { return points.front().value; }
  double best() const { return points.back().value; }
  /// After how many evaluations a value is reached; infinite when it never is.
  double evaluations_to(double value) const;

  nlohmann::ordered_json json() const;
  static AdvantageCurve of(const nlohmann::ordered_json& json);
};

/// All searches from one kind of start on one graph: curves by seed, by name of the search. Searches with the same seed
/// have the same start.
struct AdvantageContest {
  std::string graph, start;
  std::size_t operations = 0;
  double priority = 0;  // what priority fusion comes to
  std::map<std::string, std::vector<AdvantageCurve>> curves;

  /// Evaluations that `fast` needs to come to 95 % of what `slow` gains with its whole budget, over what `slow` itself
  /// needs for that; medians over seeds, infinite where most never come there. None where there is nothing to gain.
  std::optional<double> samples_ratio(const std::string& fast, const std::string& slow) const;
  /// Percent by which the median of one is below that of the other in the end.
  double quality_percent(const std::string& one, const std::string& other) const;
  /// The best of some searches over priority fusion, in percent.
  double over_priority_percent(std::span<const std::string> names) const;
  /// The median of what a search comes to.
  double value(const std::string& name) const;
};

double median_of_values(std::vector<double> values);

}  // namespace hone
