#include "bench/fusion_contest.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/timer.h"
#include "plan/solve/solve.h"

namespace hone {
namespace {

/// The form that can say what the others can: copies, and kernels of several results.
constexpr std::string_view kForm = "fuse-edges";
constexpr std::string_view kRules = "fuse-priority+fuse-all+fuse-merging";
constexpr std::string_view kSearches[] = {"random", "local", "anneal", "brkga", "cem", "beam", "mcts"};

Solution solved(const Problem& problem, const Plan& start, std::string_view tasks, std::string_view optimizer,
                const SearchSettings& settings) {
  const std::unique_ptr<Optimizer> made = make_optimizer(optimizer);
  return Solver(problem, tasks, start).solve(*made, settings);
}

SearchSettings limited(std::uint64_t evaluations, std::uint64_t seed) {
  return {.budget = {.evaluations = evaluations}, .seed = seed, .show_progress = false};
}

}  // namespace

FusionContest::FusionContest(Workload workload, const Machine& machine)
    : problem_{.workload = std::move(workload), .machine = machine, .objective = Objective::seconds} {}

nlohmann::ordered_json FusionContest::run(const std::vector<std::uint64_t>& budgets, std::uint64_t seed) const {
  const Plan start = undecided_plan(problem_);
  nlohmann::ordered_json found;
  for (const std::string_view rule : {"none", "all", "topological", "priority", "merging"})
    found[std::string(rule)] =
        solved(problem_, start, "fuse-edges", fmt::format("fuse-{}", rule), limited(2, seed)).cost.seconds;
  for (const std::uint64_t budget : budgets) {
    for (const std::string_view search : kSearches)
      found[fmt::format("{}-{}", search, budget)] =
          solved(problem_, start, kForm, fmt::format("{}+{}", kRules, search), limited(budget, seed)).cost.seconds;
    for (const std::string_view form : {"fuse", "fuse-levels"})
      found[fmt::format("{}-local-{}", form, budget)] =
          solved(problem_, start, form, fmt::format("{}+local", kRules), limited(budget, seed)).cost.seconds;
  }
  return found;
}

nlohmann::ordered_json FusionContest::run_joint(std::uint64_t evaluations, std::uint64_t seed) const {
  const Plan start = undecided_plan(problem_);
  const Solution joint = solved(problem_, start, fmt::format("{}+place+schedule", kForm),
                                fmt::format("{}+local:turns=0.5", kRules), limited(evaluations, seed));
  Solution step = solved(problem_, start, kForm, fmt::format("{}+local", kRules), limited(evaluations / 3, seed));
  for (const std::string_view task : {"place", "schedule"})
    step = solved(problem_, step.plan, task, "local", limited(evaluations / 3, seed));
  return {{"joint", joint.cost.seconds}, {"sequence", step.cost.seconds}};
}

nlohmann::ordered_json FusionContest::run_capped(std::uint64_t evaluations, std::uint64_t seed) const {
  const Cost before = evaluator_for(problem_)->evaluate(undecided_plan(problem_));
  const double unfused = before.peak_bytes;
  Problem capped = capped_at(problem_, before);
  capped.objective = Objective::seconds_in_memory;
  const Solution solution =
      solved(capped, undecided_plan(capped), kForm, fmt::format("{}+local", kRules), limited(evaluations, seed));
  return {{"capped", solution.cost.seconds},
          {"capped_peak_percent", 100 * (solution.cost.peak_bytes / unfused - 1)},
          {"unfused_peak_bytes", unfused}};
}

nlohmann::ordered_json fusion_optimum(const Problem& problem, std::uint64_t evaluations, std::uint64_t seed) {
  constexpr std::size_t kMostSites = 9, kOptions = 3;
  const Plan start = undecided_plan(problem);
  const std::unique_ptr<Task> task = make_task(problem, "fuse-edges", start);
  const std::size_t sites = task->sites().size();
  if (sites < 3 || sites > kMostSites) return {};
  const std::unique_ptr<Evaluator> evaluator = evaluator_for(problem);
  Plan plan = start;
  Decisions keys(sites);
  double best = evaluator->evaluate(start).seconds;
  std::size_t rows = 1;
  for (std::size_t i = 0; i < sites; ++i) rows *= kOptions;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t site = 0, rest = row; site < sites; ++site, rest /= kOptions)
      keys[site] = key_of(static_cast<std::uint32_t>(rest % kOptions), kOptions);
    task->apply(keys, plan);
    best = std::min(best, evaluator->evaluate(plan).seconds);
  }
  const auto gap = [&](std::string_view optimizer) {
    const Solution solution = solved(problem, start, "fuse-edges", optimizer, limited(evaluations, seed));
    return 100 * (solution.cost.seconds / best - 1);
  };
  return {{"operations", problem.workload.operation_count()},
          {"optimum", best},
          {"priority_gap_percent", gap("fuse-priority")},
          {"merging_gap_percent", gap("fuse-merging")},
          {"search_gap_percent", gap(fmt::format("{}+local", kRules))}};
}

double milliseconds_an_evaluation(const Problem& problem, std::string_view tasks, std::uint64_t seed) {
  constexpr std::size_t kRows = 20;
  Plan plan = undecided_plan(problem);
  const std::unique_ptr<Task> task = make_task(problem, tasks, plan);
  const std::unique_ptr<Evaluator> evaluator = evaluator_for(problem);
  Rng rng(seed);
  Decisions keys(task->sites().size());
  const auto evaluate = [&] {
    for (float& key : keys) key = static_cast<float>(rng.uniform());
    task->apply(keys, plan);
    evaluator->evaluate(plan);
  };
  evaluate();  // the first one allocates
  const Timer timer;
  for (std::size_t row = 0; row < kRows; ++row) evaluate();
  return timer.seconds() * 1e3 / kRows;
}

}  // namespace hone
