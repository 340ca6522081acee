#include "cli/plan_sharding.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/output_file.h"
#include "base/text_file.h"
#include "base/timer.h"
#include "core/optimizer.h"
#include "evaluate/sharding_cost.h"
#include "foreign/format.h"
#include "foreign/iopddl.h"
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

std::uint64_t fingerprint_of_run(const Problem& problem, const ShardingRequest& request, const Cost& before) {
  const ShardingProblem& sharding = *problem.sharding;
  return hash_text(fmt::format("{} {} {} {} {} {} {} {}", sharding.name, sharding.nodes.size(), sharding.edges.size(),
                               sharding.usage_limit, before.seconds, before.peak_bytes, request.optimizer,
                               request.seed));
}

Solution solve(const Problem& problem, Optimizer& optimizer, const ShardingRequest& request) {
  const std::unique_ptr<Task> task = make_task(problem, "shard");
  ShardingCost evaluator(problem.sharding);
  const Plan start = undecided_plan(problem);
  std::optional<Journal> journal;
  if (!request.journal.empty())
    journal.emplace(request.journal, fingerprint_of_run(problem, request, evaluator.evaluate(start)));
  Search search(problem, *task, evaluator, start,
                {.budget = request.budget,
                 .seed = request.seed,
                 .threads = request.threads,
                 .journal = journal ? &*journal : nullptr});
  optimizer.run(search);
  return search.finish();
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

void print_json(const ShardingProblem& problem, const ShardingRequest& request, Optimizer& optimizer,
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

void print_table(const ShardingProblem& problem, const Solution& solution) {
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

/// What leaves is added up once more by the definition.
void verify(const ShardingProblem& problem, const Solution& solution) {
  const ShardingTotals sums = totals(problem, solution.plan.strategy_of);
  const bool fits = sums.peak_usage <= static_cast<double>(problem.usage_limit);
  HONE_CHECK(
      std::abs(sums.cost - solution.cost.seconds) <= 1e-9 * std::abs(sums.cost) && fits == solution.cost.feasible(),
      "a solution costs {} and not {}", sums.cost, solution.cost.seconds);
}

}  // namespace

std::optional<ExitCode> plan_sharding(const std::string& path, ShardingRequest request) {
  const Timer timer;
  const std::unique_ptr<Optimizer> optimizer = make_optimizer(request.optimizer);
  const Problem problem{.workload = {}, .machine = {}, .sharding = load(path)};
  if (!problem.sharding) return std::nullopt;
  const double reading = timer.seconds();
  request.budget.seconds = std::max(request.budget.seconds - reading, 1e-3);
  Solution solution = solve(problem, *optimizer, request);
  solution.seconds += reading;
  verify(*problem.sharding, solution);
  if (!request.output.empty()) save(request.output, *problem.sharding, solution);
  if (request.json) print_json(*problem.sharding, request, *optimizer, solution);
  else print_table(*problem.sharding, solution);
  if (solution.interrupted) return ExitCode::interrupted;
  return solution.cost.feasible() ? ExitCode::done : ExitCode::no_valid_plan;
}

}  // namespace hone
