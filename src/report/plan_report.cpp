#include "report/plan_report.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "plan/session/sharding_file.h"
#include "report/fitted.h"
#include "report/group_report.h"
#include "report/memory_report.h"
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
std::vector<std::string> bounds_row(const PlanSession& session, const Solution& solution) {
  double seconds = session.bounds().seconds(), bytes = session.bounds().peak_bytes();
  const Objective& objective = session.problem().objective;
  if (objective == Objective::peak_bytes) bytes = solution.bound;
  else if (!objective.parts().front().relative) seconds = solution.bound;
  return {"no plan below", in_milliseconds(seconds), with_prefix(bytes, "B"), ""};
}

/// The problem itself, as far as reports tell of it.
ordered_json problem_json(const PlanSession& session) {
  const Problem& problem = session.problem();
  if (problem.sharding) return sharding_json(*problem.sharding);
  return {{"graph", problem.workload.name},
          {"operations", problem.workload.operation_count()},
          {"machine", problem.machine.name},
          {"objective", name_of(problem.objective)},
          {"tasks", session.request().tasks},
          {"bound_seconds", session.bounds().seconds()},
          {"bound_peak_bytes", session.bounds().peak_bytes()},
          {"before", cost_json(session.before())}};
}

/// The problem and what was found, in the terms of its kind.
ordered_json found_json(const PlanSession& session, const Solution& solution) {
  if (session.problem().sharding) return sharding_json(*session.problem().sharding, solution);
  ordered_json object = problem_json(session);
  object["after"] = cost_json(solution.cost);
  object["cost"] = session.in_units_of_source(solution.score.value);
  object["bound"] = session.in_units_of_source(solution.bound);
  object["seconds"] = solution.seconds;
  object["feasible"] = solution.score.excess == 0;
  object["optimal"] = solution.optimal();
  object["devices_wait"] = solution.plan.waiting == Waiting::in_line;
  return object;
}

std::string waiting_text(const Plan& plan) {
  if (plan.waiting == Waiting::never) return {};
  return fitted("a device waits for what is next in order, even if something else is ready");
}

std::string sharding_text(const ShardingProblem& problem, const Solution& solution) {
  Table table({"", "cost", "peak usage", "fits"});
  table.add({"found", fmt::format("{:.0f}", solution.cost.seconds), fmt::format("{:.0f}", solution.cost.peak_bytes),
             solution.cost.feasible() ? "yes" : fmt::format("{:.0f} too much", solution.cost.overflow_bytes)});
  table.add({"no choice below", fmt::format("{:.0f}", solution.bound), "", ""});
  table.add({"limit", "", fmt::to_string(problem.usage_limit), ""});
  return fitted(fmt::format("{}: {} nodes, {} edges, {} evaluations in {:.2f} s", problem.name, problem.nodes.size(),
                            problem.edges.size(), solution.evaluations, solution.seconds)) +
         "\n" + table.text() + ending_text(solution.end, solution.seconds);
}

std::string score_text(const Problem& problem, const Score& score) {
  const std::string value =
      problem.sharding ? fmt::format("{:.0f}", score.value) : value_text(problem.objective, score.value);
  return score.excess > 0 ? value + " (does not fit)" : value;
}

}  // namespace

ordered_json result_json(const PlanSession& session, Optimizer& optimizer, const PlanResult& result) {
  const Solution& solution = result.solution;
  ordered_json object = found_json(session, solution);
  object["optimizer"] = session.request().optimizer;
  object["parameters"] = optimizer.json();
  object["seed"] = session.request().seed;
  object["evaluations"] = solution.evaluations;
  object["ended_by"] = name_of(solution.end);
  if (!session.problem().sharding) object["arenas"] = arenas_json(session.problem().machine, result.arenas);
  for (const Solution::Point& point : solution.curve)
    object["curve"].push_back({{"evaluations", point.evaluations},
                               {"seconds", point.seconds},
                               {"value", point.score.value},
                               {"excess_bytes", point.score.excess}});
  if (!result.outputs.empty()) object["outputs"] = outputs_json(result.outputs);
  return object;
}

std::string result_text(const PlanSession& session, const PlanResult& result) {
  const Problem& problem = session.problem();
  const Solution& solution = result.solution;
  if (problem.sharding) return sharding_text(*problem.sharding, solution);
  Table table({"", "time", "peak memory", "fits"});
  table.add(cost_row("before", session.before()));
  table.add(cost_row("after", solution.cost));
  table.add(bounds_row(session, solution));
  return fitted(fmt::format("{}: {} on {}, {} evaluations in {:.2f} s", problem.workload.name,
                            size_text(problem.workload, solution.plan), problem.machine.name, solution.evaluations,
                            solution.seconds)) +
         "\n" + table.text() + waiting_text(solution.plan) + groups_text(problem.workload, solution.plan) +
         arenas_text(problem.machine, result.arenas) + outputs_text(result.outputs) +
         ending_text(solution.end, solution.seconds);
}

ordered_json trials_json(const PlanSession& session, const std::vector<Trial>& trials) {
  ordered_json object = problem_json(session);
  object["evaluations"] = session.request().evaluations;
  object["seed"] = session.request().seed;
  for (const Trial& trial : trials) {
    ordered_json entry{{"optimizer", trial.optimizer}, {"search_seconds", trial.seconds}, {"bound", trial.bound}};
    for (const SearchEnd end : trial.ends) entry["ended_by"].push_back(name_of(end));
    for (const Score& score : trial.scores)
      entry["scores"].push_back({{"value", score.value}, {"excess_bytes", score.excess}});
    object["compare"].push_back(std::move(entry));
  }
  return object;
}

std::string trials_text(const PlanSession& session, const std::vector<Trial>& trials) {
  const Problem& problem = session.problem();
  double bound = session.bound();
  for (const Trial& trial : trials) bound = std::max(bound, trial.bound);
  Table table({{"optimiser", Fit::wrapped}, "best", "median", "worst", "above bound", "search"});
  std::set<SearchEnd> ends;
  table.add({"nothing decided", score_text(problem, score(problem.objective, session.before())), "", "", "", ""});
  for (const Trial& trial : trials) {
    const Score& median = trial.scores[trial.scores.size() / 2];
    table.add({trial.optimizer, score_text(problem, trial.scores.front()), score_text(problem, median),
               score_text(problem, trial.scores.back()),
               bound > 0 ? fmt::format("{:.1f} %", 100 * (median.value / bound - 1)) : "",
               fmt::format("{:.2f} s", trial.seconds)});
    ends.insert(trial.ends.begin(), trial.ends.end());
  }
  std::vector<std::string_view> reasons;
  for (const SearchEnd end : ends) reasons.push_back(text_of(end));
  return table.text() + fmt::format("\nwhat ended searches: {}\n", fmt::join(reasons, "; "));
}

ordered_json outputs_json(const std::vector<WrittenOutput>& outputs) {
  ordered_json list = ordered_json::array();
  for (const WrittenOutput& output : outputs)
    list.push_back({{"kind", output.kind}, {"path", output.saved.path.string()}, {"contents", output.contents}});
  return list;
}

std::string outputs_text(const std::vector<WrittenOutput>& outputs) {
  std::string text;
  for (const WrittenOutput& output : outputs)
    if (!output.saved.path.empty()) text += fmt::format("{}: {}\n", output.saved.path.string(), output.contents);
  return text;
}

}  // namespace hone
