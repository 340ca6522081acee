#include "bench/planning/summary.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "bench/planning/figures.h"

namespace hone {
namespace {

using nlohmann::ordered_json;

ordered_json planning_row(const GraphLabel& graph, const PlanningSpot& spot, std::size_t contender,
                          const PlanningGains& gains) {
  const PlanningSetting& setting = gains.contest().settings[spot.setting];
  const PlanningContender& who = gains.contenders(spot.setting)[contender];
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (std::size_t seed = 0; seed < gains.results().seeds(); ++seed) {
    const double value = gains.results().of({spot.graph, spot.setting, contender, spot.budget, seed}).value;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  return {{"graph", graph.name},
          {"family", graph.family},
          {"origin", name_of(graph.origin)},
          {"operations", graph.operations},
          {"objective", name_of(setting.objective)},
          {"machine", setting.machine},
          {"optimizer", who.optimizer},
          {"role", name_of(who.role)},
          {"evaluations", gains.contest().budgets[spot.budget]},
          {"mean", gains.mean_value(spot, contender)},
          {"least", least},
          {"most", most},
          {"over_best_percent", gains.gain(spot, contender, gains.best_rival(spot), EqualShare::evaluations)},
          {"cpu_seconds", gains.mean_cpu_seconds(spot, contender)}};
}

std::vector<std::size_t> graphs_where(std::span<const GraphLabel> graphs,
                                      const std::function<bool(const GraphLabel&)>& wanted) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < graphs.size(); ++i)
    if (wanted(graphs[i])) found.push_back(i);
  return found;
}

double cpu_hours_of(const PlanningResults& results) {
  double seconds = 0;
  for (const auto& [search, outcome] : results.all()) seconds += outcome.cpu_seconds;
  return seconds / 3600;
}

ordered_json planning_summary(std::span<const GraphLabel> graphs, const PlanningGains& gains) {
  const std::size_t large = gains.contest().large_operations;
  const auto real = [](const GraphLabel& graph) { return graph.origin == GraphOrigin::real; };
  const PlanningFigures figures(gains, graphs_where(graphs, real));
  ordered_json summary = figures.json();
  summary["large"] =
      PlanningFigures(
          gains, graphs_where(graphs, [&](const GraphLabel& graph) { return real(graph) && graph.operations > large; }))
          .json();
  summary["modules"] = PlanningFigures(gains, graphs_where(graphs, &GraphLabel::is_module)).json();
  summary["synthetic"] = PlanningFigures(gains, graphs_where(graphs, std::not_fn(real))).json();
  summary["methods"] = figures.methods();
  summary["cpu_hours"] = cpu_hours_of(gains.results());
  return summary;
}

}  // namespace

BenchReport planning_report(std::span<const GraphLabel> graphs, const PlanningGains& gains) {
  BenchReport report;
  for (std::size_t graph = 0; graph < graphs.size(); ++graph)
    for (std::size_t setting = 0; setting < gains.contest().settings.size(); ++setting) {
      if (!gains.ran(graph, setting)) continue;
      for (std::size_t contender = 0; contender < gains.contenders(setting).size(); ++contender)
        for (std::size_t budget = 0; budget < gains.contest().budgets.size(); ++budget)
          report.rows.push_back(planning_row(graphs[graph], {graph, setting, budget}, contender, gains));
    }
  report.summary = planning_summary(graphs, gains);
  return report;
}

}  // namespace hone
