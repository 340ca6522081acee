#include "bench/planning/figures.h"

#include <algorithm>
#include <numeric>

namespace hone {
namespace {

using nlohmann::ordered_json;

constexpr double kNoDifference = 1e-4;  // percent: sums of the same numbers in another order

bool every_setting(const PlanningSetting&) { return true; }

/// Numbers of graphs, of one graph after another, each from those of all settings that count.
std::vector<GraphShare> shares_of(const std::vector<std::vector<double>>& numbers, auto combined) {
  std::vector<GraphShare> shares;
  for (const std::vector<double>& of_graph : numbers)
    if (!of_graph.empty()) shares.push_back({.part = combined(of_graph)});
  return shares;
}

double mean_number(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

ordered_json figure_or_null(const std::vector<GraphShare>& shares, const GraphStatistic& statistic = ratio_of_sums) {
  if (shares.empty()) return nullptr;
  return over_graphs(shares, statistic).json();
}

double value_in(const ordered_json& figure) { return figure.is_null() ? 0 : figure.at("value").get<double>(); }

}  // namespace

ordered_json PlanningFigures::json() const {
  constexpr EqualShare kEvaluations = EqualShare::evaluations;
  ordered_json figures{{"graphs", graphs_.size()},
                       {"memory_over_best_percent", over_best(Objective::peak_bytes, kEvaluations)},
                       {"seconds_over_best_percent", over_best(Objective::seconds, kEvaluations)},
                       {"policy_percent", policy_percent(kEvaluations)},
                       {"at_100_percent", at_least_budget(kEvaluations)},
                       {"win_percent", wins()}};
  const AtSpot gain = learned_gain(Rival::best, gains_.contest().last_budget(), kEvaluations);
  figures["worst_percent"] = by_objective([&](const Counts& counts) { return least(counts, gain); });
  figures["regal_over_brkga_percent"] = regal_over_standard();
  figures["headroom_captured"] = headroom_captured();
  figures["overhead_percent"] = overhead();
  figures["default_worst_percent"] = by_objective([&](const Counts& counts) { return least(counts, usual_gain()); });
  figures["equal_seconds"] = at_equal_seconds();
  return figures;
}

template <class Figure>
ordered_json PlanningFigures::by_objective(Figure figure) {
  ordered_json all = figure(every_setting);
  if (all.is_null()) return all;
  for (const Objective& objective : {Objective::peak_bytes, Objective::seconds})
    all[name_of(objective)] = figure([&](const PlanningSetting& setting) { return setting.objective == objective; });
  return all;
}

std::vector<std::vector<double>> PlanningFigures::numbers(const Counts& counts, const AtSpot& number) const {
  std::vector<std::vector<double>> numbers;
  for (const std::size_t graph : graphs_) {
    numbers.emplace_back();
    for (std::size_t setting = 0; setting < gains_.contest().settings.size(); ++setting) {
      if (!counts(gains_.contest().settings[setting]) || !gains_.ran(graph, setting)) continue;
      if (const std::optional<double> found = number(graph, setting)) numbers.back().push_back(*found);
    }
  }
  return numbers;
}

ordered_json PlanningFigures::mean(const Counts& counts, const AtSpot& number) const {
  return figure_or_null(shares_of(numbers(counts, number), mean_number));
}

ordered_json PlanningFigures::least(const Counts& counts, const AtSpot& number) const {
  const auto least_number = [](const std::vector<double>& of_graph) { return std::ranges::min(of_graph); };
  return figure_or_null(shares_of(numbers(counts, number), least_number), least_part);
}

PlanningFigures::AtSpot PlanningFigures::learned_gain(Rival rival, std::size_t budget, EqualShare share) const {
  return [this, rival, budget, share](std::size_t graph, std::size_t setting) -> std::optional<double> {
    const PlanningSpot spot{graph, setting, budget};
    const std::optional<std::size_t> learned = gains_.with_role(setting, ContenderRole::learned);
    const std::optional<std::size_t> other =
        rival == Rival::best ? gains_.best_rival(spot) : gains_.with_role(setting, ContenderRole::without_policy);
    if (!learned || !other) return std::nullopt;
    return gains_.gain(spot, *learned, *other, share);
  };
}

PlanningFigures::AtSpot PlanningFigures::usual_gain() const {
  return [this](std::size_t graph, std::size_t setting) -> std::optional<double> {
    const PlanningSpot spot{graph, setting, gains_.contest().last_budget()};
    const std::optional<std::size_t> usual = gains_.with_role(setting, ContenderRole::usual);
    if (!usual) return std::nullopt;
    return gains_.gain(spot, *usual, gains_.best_classical(spot), EqualShare::evaluations);
  };
}

ordered_json PlanningFigures::over_best(const Objective& objective, EqualShare share) const {
  return mean([&](const PlanningSetting& setting) { return setting.objective == objective; },
              learned_gain(Rival::best, gains_.contest().last_budget(), share));
}

ordered_json PlanningFigures::policy_percent(EqualShare share) const {
  const AtSpot gain = learned_gain(Rival::without_policy, gains_.contest().last_budget(), share);
  return by_objective([&](const Counts& counts) { return mean(counts, gain); });
}

ordered_json PlanningFigures::at_least_budget(EqualShare share) const {
  const AtSpot gain = learned_gain(Rival::best, 0, share);
  return by_objective([&](const Counts& counts) { return mean(counts, gain); });
}

ordered_json PlanningFigures::wins() const {
  const AtSpot gain = learned_gain(Rival::best, gains_.contest().last_budget(), EqualShare::evaluations);
  const AtSpot win = [&](std::size_t graph, std::size_t setting) -> std::optional<double> {
    const std::optional<double> percent = gain(graph, setting);
    if (!percent) return std::nullopt;
    return *percent > kNoDifference ? 100 : 0;
  };
  return by_objective([&](const Counts& counts) { return mean(counts, win); });
}

std::optional<PlanningFigures::GuidedPair> PlanningFigures::guided_pair() const {
  const std::vector<PlanningSetting>& settings = gains_.contest().settings;
  const auto found = std::ranges::find(settings, gains_.contest().headroom.setting);
  if (found == settings.end()) return std::nullopt;
  const auto setting = static_cast<std::size_t>(found - settings.begin());
  const std::optional<std::size_t> regal = gains_.with_role(setting, ContenderRole::regal);
  const std::optional<std::size_t> standard = gains_.standard(setting);
  if (!regal || !standard) return std::nullopt;
  return GuidedPair{setting, *regal, *standard};
}

ordered_json PlanningFigures::regal_over_standard() const {
  const std::optional<GuidedPair> pair = guided_pair();
  if (!pair) return nullptr;
  return mean([&](const PlanningSetting& setting) { return setting == gains_.contest().headroom.setting; },
              [&](std::size_t graph, std::size_t setting) -> std::optional<double> {
                return gains_.gain({graph, setting, gains_.contest().last_budget()}, pair->regal, pair->standard,
                                   EqualShare::evaluations);
              });
}

/// What is gained over the standard as a share of what the long search gains over it, all graphs together.
ordered_json PlanningFigures::headroom_captured() const {
  const std::optional<GuidedPair> pair = guided_pair();
  if (!pair) return nullptr;
  std::vector<GraphShare> shares;
  for (const std::size_t graph : graphs_) {
    if (!gains_.ran(graph, pair->setting) || !gains_.results().has_reached(graph)) continue;
    const PlanningSpot spot{graph, pair->setting, gains_.contest().last_budget()};
    const double standard = gains_.mean_value(spot, pair->standard);
    shares.push_back({.part = percent_below(gains_.mean_value(spot, pair->regal), standard),
                      .whole = percent_below(std::min(standard, gains_.results().reached(graph)), standard)});
  }
  return figure_or_null(shares);
}

/// Percent of processor seconds that the learned search takes beyond the same search without a policy.
ordered_json PlanningFigures::overhead() const {
  return by_objective([&](const Counts& counts) {
    std::vector<GraphShare> shares;
    for (const std::size_t graph : graphs_) {
      GraphShare share{.part = 0, .whole = 0};
      for (std::size_t setting = 0; setting < gains_.contest().settings.size(); ++setting) {
        const std::optional<std::size_t> learned = gains_.with_role(setting, ContenderRole::learned);
        const std::optional<std::size_t> without = gains_.with_role(setting, ContenderRole::without_policy);
        if (!counts(gains_.contest().settings[setting]) || !gains_.ran(graph, setting) || !learned || !without)
          continue;
        const PlanningSpot spot{graph, setting, gains_.contest().last_budget()};
        const double seconds = gains_.mean_cpu_seconds(spot, *without);
        share.part += 100 * (gains_.mean_cpu_seconds(spot, *learned) - seconds);
        share.whole += seconds;
      }
      if (share.whole > 0) shares.push_back(share);
    }
    return figure_or_null(shares);
  });
}

ordered_json PlanningFigures::at_equal_seconds() const {
  const auto figures = [&](EqualShare share) {
    return ordered_json{{"memory_over_best_percent", over_best(Objective::peak_bytes, share)},
                        {"seconds_over_best_percent", over_best(Objective::seconds, share)},
                        {"policy_percent", policy_percent(share)},
                        {"at_100_percent", at_least_budget(share)}};
  };
  const ordered_json by_evaluations = figures(EqualShare::evaluations);
  ordered_json by_seconds = figures(EqualShare::cpu_seconds);
  ordered_json changed = ordered_json::array();
  for (const auto& [name, figure] : by_evaluations.items())
    if (value_in(figure) * value_in(by_seconds.at(name)) < 0) changed.push_back(name);
  by_seconds["sign_changes"] = std::move(changed);
  return by_seconds;
}

ordered_json PlanningFigures::methods() const {
  ordered_json methods = ordered_json::array();
  for (const PlanningField& field : gains_.contest().fields)
    for (std::size_t contender = 0; contender < field.contenders.size(); ++contender)
      methods.push_back(method(field, contender));
  return methods;
}

ordered_json PlanningFigures::method(const PlanningField& field, std::size_t contender) const {
  ordered_json row{{"objective", name_of(field.objective)},
                   {"optimizer", field.contenders[contender].optimizer},
                   {"role", name_of(field.contenders[contender].role)}};
  const auto over_best = [&](const Counts& counts, std::size_t budget) {
    return mean(counts, [&, budget](std::size_t graph, std::size_t setting) -> std::optional<double> {
      const PlanningSpot spot{graph, setting, budget};
      return gains_.gain(spot, contender, gains_.best_rival(spot), EqualShare::evaluations);
    });
  };
  for (std::size_t budget = 0; budget < gains_.contest().budgets.size(); ++budget)
    row[fmt::format("at_{}", gains_.contest().budgets[budget])] =
        over_best([&](const PlanningSetting& setting) { return setting.objective == field.objective; }, budget);
  for (const PlanningSetting& setting : gains_.contest().settings)
    if (setting.objective == field.objective)
      row[setting.machine] =
          over_best([&](const PlanningSetting& other) { return other == setting; }, gains_.contest().last_budget());
  return row;
}

}  // namespace hone
