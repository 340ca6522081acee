#include "bench/go/placement_results.h"

#include <algorithm>
#include <cmath>

#include "bench/planning/gains.h"
#include "bench/planning/interval.h"

namespace hone {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostPoints = 40;  // of a curve

bool was_learned(PlacerRole role) {
  return role == PlacerRole::hdp || role == PlacerRole::placeto || role == PlacerRole::one ||
         role == PlacerRole::fine_tuned;
}

/// The smaller of two where there are any.
void take_less(std::optional<double>& least, std::optional<double> other) {
  if (other && (!least || *other < *least)) least = other;
}

}  // namespace

PlacementOutcome::PlacementOutcome(const Solution& solution, double cpu_seconds_spent)
    : evaluations(solution.evaluations), cpu_seconds(cpu_seconds_spent) {
  if (solution.score.excess == 0) seconds = solution.score.value;
  for (const Solution::Point& point : solution.curve)
    if (point.score.excess == 0) curve.push_back({point.evaluations, point.score.value});
  // Every so many points are enough to draw it by; the last one is what it came to.
  if (curve.size() <= kMostPoints) return;
  std::vector<Point> some;
  for (std::size_t i = 1; i <= kMostPoints; ++i) some.push_back(curve[i * curve.size() / kMostPoints - 1]);
  curve = std::move(some);
}

PlacementOutcome::PlacementOutcome(const ordered_json& json)
    : evaluations(json.at("evaluations")), cpu_seconds(json.at("cpu_seconds")) {
  if (!json.at("seconds").is_null()) seconds = json.at("seconds").get<double>();
  for (const ordered_json& point : json.at("curve")) curve.push_back({point.at(0), point.at(1)});
}

ordered_json PlacementOutcome::json() const {
  ordered_json points = ordered_json::array();
  for (const Point& point : curve) points.push_back({point.evaluations, point.seconds});
  return {{"seconds", seconds ? ordered_json(*seconds) : ordered_json()},
          {"evaluations", evaluations},
          {"cpu_seconds", cpu_seconds},
          {"curve", std::move(points)}};
}

std::optional<std::uint64_t> PlacementOutcome::reached(double wanted_seconds) const {
  const auto found = std::ranges::find_if(curve, [&](const Point& point) { return point.seconds <= wanted_seconds; });
  return found == curve.end() ? std::nullopt : std::optional(found->evaluations);
}

void PlacementRow::add_expert(double seconds) { take_less(expert_, seconds); }

std::optional<double> PlacementRow::mean_seconds(std::size_t contender) const {
  const std::size_t seeds = contest_.contenders[contender].seeds;
  double sum = 0;
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    const auto found = outcomes_.find({contender, seed});
    if (found == outcomes_.end() || !found->second.seconds) return std::nullopt;
    sum += *found->second.seconds;
  }
  return sum / static_cast<double>(seeds);
}

std::optional<double> PlacementRow::best(PlacerRole role) const {
  std::optional<double> least;
  if (role == PlacerRole::expert) least = expert_;
  for (std::size_t i = 0; i < contest_.contenders.size(); ++i)
    if (contest_.contenders[i].role == role) take_less(least, mean_seconds(i));
  return least;
}

std::optional<double> PlacementRow::best_classical() const {
  std::optional<double> least = best(PlacerRole::classical);
  take_less(least, best(PlacerRole::expert));
  return least;
}

std::optional<std::uint64_t> PlacementRow::evaluations_to(PlacerRole role, double seconds) const {
  for (std::size_t i = 0; i < contest_.contenders.size(); ++i) {
    const auto found = outcomes_.find({i, 0});
    if (contest_.contenders[i].role != role || found == outcomes_.end()) continue;
    return found->second.reached(seconds).value_or(found->second.evaluations);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> PlacementRow::evaluations_of_best(PlacerRole role) const {
  const std::optional<double> least = best(role);
  for (const auto& [search, outcome] : outcomes_)
    if (contest_.contenders[search.first].role == role && outcome.seconds && outcome.seconds == least)
      return outcome.reached(*least);
  return std::nullopt;
}

ordered_json PlacementRow::json() const {
  ordered_json row{
      {"graph", graph_.name}, {"family", graph_.family}, {"machine", graph_.machine}, {"operations", operations_}};
  for (std::size_t i = 0; i < contest_.contenders.size(); ++i) {
    const PlacementContender& contender = contest_.contenders[i];
    std::optional<double> least = mean_seconds(i);
    if (contender.role == PlacerRole::expert) take_less(least, expert_);
    ordered_json& cell = row[contender.column];
    if (least && (!cell.is_number() || *least < cell.get<double>())) cell = *least;
    else if (!least && !cell.is_number() && outcomes_.contains({i, 0})) cell = "OOM";
  }
  return row;
}

std::vector<ordered_json> PlacementRow::curves() const {
  std::vector<ordered_json> rows;
  for (const auto& [search, outcome] : outcomes_) {
    const PlacementContender& contender = contest_.contenders[search.first];
    if (search.second > 0 || !was_learned(contender.role)) continue;
    ordered_json row{{"graph", graph_.name}, {"curve_of", contender.optimizer}};
    row.update(outcome.json());
    rows.push_back(std::move(row));
  }
  return rows;
}

namespace {

using PlacementFigure = std::optional<double> (*)(const PlacementRow&);

/// Percent by which a role is below another.
template <PlacerRole role, PlacerRole other>
std::optional<double> role_below(const PlacementRow& row) {
  const std::optional<double> one = row.best(role), two = row.best(other);
  return one && two ? std::optional(percent_below(*one, *two)) : std::nullopt;
}

std::optional<double> search_below_classical(const PlacementRow& row) {
  const std::optional<double> search = row.best(PlacerRole::go_search), classical = row.best_classical();
  return search && classical ? std::optional(percent_below(*search, *classical)) : std::nullopt;
}

std::optional<double> zero_shot_wins(const PlacementRow& row) {
  const std::optional<double> gain = role_below<PlacerRole::zero_shot, PlacerRole::expert>(row);
  return gain ? std::optional(*gain > 0 ? 100.0 : 0.0) : std::nullopt;
}

std::optional<double> fine_tuned_reaches(const PlacementRow& row) {
  const std::optional<double> gain = role_below<PlacerRole::fine_tuned, PlacerRole::one>(row);
  return gain ? std::optional(*gain >= 0 ? 100.0 : 0.0) : std::nullopt;
}

/// Logarithm of the evaluations that GO needs for HDP's best plan, in units of those of HDP.
std::optional<double> log_samples_ratio(const PlacementRow& row) {
  const std::optional<double> hdp = row.best(PlacerRole::hdp);
  const std::optional<std::uint64_t> theirs = row.evaluations_of_best(PlacerRole::hdp);
  if (!hdp || !theirs) return std::nullopt;
  const std::optional<std::uint64_t> ours = row.evaluations_to(PlacerRole::one, *hdp);
  if (!ours) return std::nullopt;
  return std::log(static_cast<double>(std::max<std::uint64_t>(*ours, 1)) /
                  static_cast<double>(std::max<std::uint64_t>(*theirs, 1)));
}

std::vector<GraphShare> shares_by(std::span<const PlacementRow> rows, PlacementFigure figure) {
  std::vector<GraphShare> shares;
  for (const PlacementRow& row : rows)
    if (const std::optional<double> value = figure(row)) shares.push_back({.part = *value});
  return shares;
}

}  // namespace

ordered_json placement_summary(std::span<const PlacementRow> rows) {
  const std::pair<const char*, PlacementFigure> figures[] = {
      {"over_expert_percent", role_below<PlacerRole::one, PlacerRole::expert>},
      {"over_hdp_percent", role_below<PlacerRole::one, PlacerRole::hdp>},
      {"over_placeto_percent", role_below<PlacerRole::one, PlacerRole::placeto>},
      {"zero_shot_over_expert_percent", role_below<PlacerRole::zero_shot, PlacerRole::expert>},
      {"zero_shot_better_percent", zero_shot_wins},
      {"fine_tuned_percent", fine_tuned_reaches},
      {"go_search_over_best_percent", search_below_classical},
      {"hdp_over_random_percent", role_below<PlacerRole::hdp, PlacerRole::random>},
      {"placeto_over_random_percent", role_below<PlacerRole::placeto, PlacerRole::random>}};
  ordered_json summary = ordered_json::object();
  for (const auto& [name, figure] : figures) {
    const std::vector<GraphShare> shares = shares_by(rows, figure);
    if (shares.empty()) continue;
    summary[name] = over_graphs(shares).json();
    summary[name]["worst"] = least_part(shares);
  }
  if (const std::vector<GraphShare> logs = shares_by(rows, log_samples_ratio); !logs.empty()) {
    const GraphFigure figure = over_graphs(logs);
    summary["samples_ratio"] = {{"value", std::exp(figure.value)},
                                {"low", std::exp(figure.low)},
                                {"high", std::exp(figure.high)},
                                {"graphs", figure.graphs}};
  }
  return summary;
}

}  // namespace hone
