#include "cli/plan_sharding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/output_file.h"
#include "base/text_file.h"
#include "base/timer.h"
#include "cli/plan_compare.h"
#include "formats/foreign/format.h"
#include "formats/foreign/iopddl.h"
#include "plan/search/optimizer.h"
#include "plan/simulate/sharding_cost.h"
#include "report/json_line.h"
#include "report/table.h"

namespace hone {
namespace {

/// The problem in a file that holds one. Only what may be JSON is read.
std::shared_ptr<const ShardingProblem> load(const std::string& path) {
  if (!path.ends_with(".json") && !path.ends_with(".json.gz") && !path.ends_with(".json.xz")) return nullptr;
  const TextFile file = read_text_file(path);
  if (detect_format(file.text) != ForeignFormat::iopddl) return nullptr;
  return std::make_shared<const ShardingProblem>(parse_iopddl(file.text, path));
}

/// Graphs of operations are planned for a machine and judged in several ways; a sharding problem says it all itself.
void refuse_what_means_nothing(const PlanRequest& given) {
  const std::pair<const char*, bool> options[] = {{"--machine", !given.machine.empty()},
                                                  {"--objective", given.objective != PlanRequest().objective},
                                                  {"--tasks", !given.tasks.empty() && given.tasks != "shard"},
                                                  {"--db", !given.store.empty()},
                                                  {"--emit", given.outputs.asks_for_any()}};
  for (const auto& [name, is_given] : options)
    if (is_given) fail_usage("{} means nothing for '{}', which is a sharding problem", name, given.model);
}

/// What a sharding problem is solved with where the user has said nothing: what suits it, for a minute.
PlanRequest completed(const PlanRequest& given) {
  constexpr double kUsualSeconds = 60;
  PlanRequest request = given;
  if (request.optimizer.empty()) request.optimizer = "shard";
  if (request.evaluations == 0 && !std::isfinite(request.seconds)) request.seconds = kUsualSeconds;
  return request;
}

std::uint64_t fingerprint_of_run(const Problem& problem, const PlanRequest& request, const Cost& before) {
  const ShardingProblem& sharding = *problem.sharding;
  return hash_text(fmt::format("{} {} {} {} {} {} {} {}", sharding.name, sharding.nodes.size(), sharding.edges.size(),
                               sharding.usage_limit, before.seconds, before.peak_bytes, request.optimizer,
                               request.seed));
}

/// Adds a solution up once more by the definition.
void verify_sharding(const ShardingProblem& problem, const Solution& solution) {
  const ShardingTotals sums = totals(problem, solution.plan.strategy_of);
  const bool fits = sums.peak_usage <= static_cast<double>(problem.usage_limit);
  HONE_CHECK(
      std::abs(sums.cost - solution.cost.seconds) <= 1e-9 * std::abs(sums.cost) && fits == solution.cost.feasible(),
      "a solution costs {} and not {}", sums.cost, solution.cost.seconds);
}

Solution solve(const Problem& problem, Optimizer& optimizer, const PlanRequest& request) {
  const std::unique_ptr<Task> task = make_task(problem, "shard");
  ShardingCost evaluator(problem.sharding);
  const Plan start = undecided_plan(problem);
  std::optional<Journal> journal;
  if (!request.journal.empty())
    journal.emplace(request.journal, fingerprint_of_run(problem, request, evaluator.evaluate(start)));
  Budget budget{.seconds = request.seconds};
  if (request.evaluations > 0) budget.evaluations = request.evaluations;
  Search search(
      problem, *task, evaluator, start,
      {.budget = budget, .seed = request.seed, .threads = request.threads, .journal = journal ? &*journal : nullptr});
  optimizer.run(search);
  Solution solution = search.finish();
  verify_sharding(*problem.sharding, solution);
  return solution;
}

ExitCode compare_sharding(const Problem& problem, const PlanRequest& request) {
  const ShardingProblem& sharding = *problem.sharding;
  const Cost before = ShardingCost(problem.sharding).evaluate(undecided_plan(problem));
  const auto solve_once = [&](Optimizer& optimizer, std::uint64_t seed) {
    PlanRequest once = request;
    once.seed = seed;
    once.journal.clear();
    return solve(problem, optimizer, once);
  };
  return compare_optimizers(request, {.description = {{"graph", sharding.name},
                                                      {"nodes", sharding.nodes.size()},
                                                      {"edges", sharding.edges.size()},
                                                      {"usage_limit", sharding.usage_limit}},
                                      .before = score(problem.objective, before),
                                      .solve = solve_once,
                                      .text = [](double value) { return fmt::format("{:.0f}", value); }});
}

nlohmann::ordered_json summary(const ShardingProblem& problem, const Solution& solution) {
  return {{"graph", problem.name},
          {"nodes", problem.nodes.size()},
          {"edges", problem.edges.size()},
          {"usage_limit", problem.usage_limit},
          {"cost", solution.cost.seconds},
          {"bound", solution.bound},
          {"seconds", solution.seconds},
          {"feasible", solution.cost.feasible()},
          {"peak_usage", solution.cost.peak_bytes}};
}

void print_sharding_json(const ShardingProblem& problem, const PlanRequest& request, Optimizer& optimizer,
                         const Solution& solution) {
  nlohmann::ordered_json object = summary(problem, solution);
  object["optimizer"] = request.optimizer;
  object["parameters"] = optimizer.json();
  object["seed"] = request.seed;
  object["evaluations"] = solution.evaluations;
  for (const Solution::Point& point : solution.curve)
    object["curve"].push_back({{"evaluations", point.evaluations},
                               {"seconds", point.seconds},
                               {"cost", point.score.value},
                               {"excess", point.score.excess}});
  fmt::print("{}", json_line(object));
}

void print_sharding(const ShardingProblem& problem, const Solution& solution) {
  fmt::print("{}: {} nodes, {} edges, {} evaluations in {:.2f} s\n\n", problem.name, problem.nodes.size(),
             problem.edges.size(), solution.evaluations, solution.seconds);
  Table table({"", "cost", "peak usage", "fits"});
  table.add({"found", fmt::format("{:.0f}", solution.cost.seconds), fmt::format("{:.0f}", solution.cost.peak_bytes),
             solution.cost.feasible() ? "yes" : fmt::format("{:.0f} too much", solution.cost.overflow_bytes)});
  table.add({"no choice below", fmt::format("{:.0f}", solution.bound), "", ""});
  table.add({"limit", "", fmt::to_string(problem.usage_limit), ""});
  fmt::print("{}", table.text());
}

void save(const std::string& path, const ShardingProblem& problem, const Solution& solution) {
  nlohmann::ordered_json object = summary(problem, solution);
  object["strategies"] = solution.plan.strategy_of;
  OutputFile file(path);
  file.write(json_line(object));
  file.commit();
}

}  // namespace

std::optional<ExitCode> plan_sharding(const PlanRequest& given) {
  const Timer timer;
  PlanRequest request = completed(given);
  const std::unique_ptr<Optimizer> optimizer = make_optimizer(request.optimizer);
  const Problem problem{.workload = {}, .machine = {}, .sharding = load(given.model)};
  if (!problem.sharding) return std::nullopt;
  refuse_what_means_nothing(given);
  if (!request.compare.empty()) return compare_sharding(problem, request);
  const double reading = timer.seconds();
  request.seconds = std::max(request.seconds - reading, 1e-3);
  Solution solution = solve(problem, *optimizer, request);
  solution.seconds += reading;
  if (!request.output.empty()) save(request.output, *problem.sharding, solution);
  if (request.json) print_sharding_json(*problem.sharding, request, *optimizer, solution);
  else print_sharding(*problem.sharding, solution);
  if (solution.end == SearchEnd::interrupted) return ExitCode::interrupted;
  return solution.cost.feasible() ? ExitCode::done : ExitCode::no_valid_plan;
}

}  // namespace hone
