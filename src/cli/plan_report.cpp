#include "cli/plan_report.h"

#include "cli/plan_memory.h"
#include "report/table.h"

namespace hone {
namespace {

using nlohmann::ordered_json;

ordered_json cost_json(const Cost& cost) {
  return {{"seconds", cost.seconds}, {"peak_bytes", cost.peak_bytes}, {"feasible", cost.feasible()}};
}

std::vector<std::string> cost_row(std::string name, const Cost& cost) {
  return {std::move(name), in_milliseconds(cost.seconds), with_prefix(cost.peak_bytes, "B"),
          cost.feasible() ? "yes" : fmt::format("{} too much", with_prefix(cost.overflow_bytes, "B"))};
}

/// Below what no plan is: what the search has proved of its objective, and what is known of the other figure.
std::vector<std::string> bounds_row(const PlanCase& planned, const Solution& solution) {
  double seconds = planned.bounds().seconds(), bytes = planned.bounds().peak_bytes();
  const Objective& objective = planned.problem().objective;
  if (objective == Objective::peak_bytes) bytes = solution.bound;
  else if (!objective.parts().front().relative) seconds = solution.bound;
  return {"no plan below", in_milliseconds(seconds), with_prefix(bytes, "B"), ""};
}

}  // namespace

ordered_json problem_json(const PlanCase& planned) {
  return {{"graph", planned.problem().workload.name},
          {"operations", planned.problem().workload.operation_count()},
          {"machine", planned.problem().machine.name},
          {"objective", name_of(planned.problem().objective)},
          {"tasks", planned.request().tasks},
          {"bound_seconds", planned.bounds().seconds()},
          {"bound_peak_bytes", planned.bounds().peak_bytes()},
          {"before", cost_json(planned.before())}};
}

ordered_json result_json(const PlanCase& planned, Optimizer& optimizer, const PlanResult& result) {
  const Solution& solution = result.solution;
  ordered_json object = problem_json(planned);
  object["after"] = cost_json(solution.cost);
  object["cost"] = planned.in_units_of_source(solution.score.value);
  object["bound"] = planned.in_units_of_source(solution.bound);
  object["seconds"] = solution.seconds;
  object["feasible"] = solution.score.excess == 0;
  object["optimal"] = solution.optimal();
  object["optimizer"] = planned.request().optimizer;
  object["parameters"] = optimizer.json();
  object["seed"] = planned.request().seed;
  object["evaluations"] = solution.evaluations;
  object["arenas"] = arenas_json(planned.problem().machine, result.arenas);
  for (const Solution::Point& point : solution.curve)
    object["curve"].push_back(
        {{"evaluations", point.evaluations}, {"value", point.score.value}, {"excess_bytes", point.score.excess}});
  if (!result.outputs.empty()) object["outputs"] = result.outputs;
  return object;
}

std::string result_text(const PlanCase& planned, const PlanResult& result) {
  const Problem& problem = planned.problem();
  const Solution& solution = result.solution;
  Table table({"", "time", "peak memory", "fits"});
  table.add(cost_row("before", planned.before()));
  table.add(cost_row("after", solution.cost));
  table.add(bounds_row(planned, solution));
  return fmt::format("{}: {} operations on {}, {} evaluations in {:.2f} s\n\n", problem.workload.name,
                     problem.workload.operation_count(), problem.machine.name, solution.evaluations, solution.seconds) +
         table.text() + arenas_text(problem.machine, result.arenas) + outputs_text(result.outputs);
}

}  // namespace hone
