#include "bench/fusion_contest.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/timer.h"
#include "plan/solve/solve.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

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

FusionTrial trial_of(const std::string& name, std::string_view form, const std::string& optimizer,
                     std::uint64_t evaluations) {
  return {name, evaluations, [=](const Problem& problem, std::uint64_t seed) -> Json {
            const Solution solution =
                solved(problem, undecided_plan(problem), form, optimizer, limited(evaluations, seed));
            return {{"seconds", {{name, solution.cost.seconds}}}};
          }};
}

Json capped(const Problem& problem, std::uint64_t evaluations, std::uint64_t seed) {
  const Cost before = evaluator_for(problem)->evaluate(undecided_plan(problem));
  Problem capped = capped_at(problem, before);
  capped.objective = Objective::seconds_in_memory;
  const Solution solution =
      solved(capped, undecided_plan(capped), kForm, fmt::format("{}+local", kRules), limited(evaluations, seed));
  return {{"capped", solution.cost.seconds},
          {"capped_peak_percent", 100 * (solution.cost.peak_bytes / before.peak_bytes - 1)},
          {"unfused_peak_bytes", before.peak_bytes}};
}

double seconds_of_all_at_once(const Problem& problem, std::uint64_t evaluations, std::uint64_t seed) {
  return solved(problem, undecided_plan(problem), fmt::format("{}+place+schedule", kForm),
                fmt::format("{}+local:turns=0.5", kRules), limited(evaluations, seed))
      .cost.seconds;
}

double seconds_of_one_after_another(const Problem& problem, std::uint64_t evaluations, std::uint64_t seed) {
  const SearchSettings third = limited(evaluations / 3, seed);
  Solution step = solved(problem, undecided_plan(problem), kForm, fmt::format("{}+local", kRules), third);
  for (const std::string_view task : {"place", "schedule"}) step = solved(problem, step.plan, task, "local", third);
  return step.cost.seconds;
}

using Seconds = double (*)(const Problem&, std::uint64_t evaluations, std::uint64_t seed);

FusionTrial trial_of(const std::string& name, Seconds seconds, std::uint64_t evaluations) {
  return {name, evaluations, [=](const Problem& problem, std::uint64_t seed) -> Json {
            return {{name, seconds(problem, evaluations, seed)}};
          }};
}

}  // namespace

std::vector<FusionTrial> fusion_trials(const Machine& machine, std::span<const std::uint64_t> budgets) {
  std::vector<FusionTrial> trials;
  for (const std::string rule : {"none", "all", "topological", "priority", "merging"})
    trials.push_back(trial_of(rule, kForm, "fuse-" + rule, 2));
  for (const std::uint64_t budget : budgets) {
    for (const std::string_view search : kSearches)
      trials.push_back(
          trial_of(fmt::format("{}-{}", search, budget), kForm, fmt::format("{}+{}", kRules, search), budget));
    for (const std::string_view form : {"fuse", "fuse-levels"})
      trials.push_back(
          trial_of(fmt::format("{}-local-{}", form, budget), form, fmt::format("{}+local", kRules), budget));
    if (machine.device_count() == 1) continue;
    trials.push_back(trial_of(fmt::format("joint-{}", budget), seconds_of_all_at_once, budget));
    trials.push_back(trial_of(fmt::format("sequence-{}", budget), seconds_of_one_after_another, budget));
  }
  const std::uint64_t least = budgets.front();
  trials.push_back({fmt::format("capped-{}", least), least,
                    [=](const Problem& problem, std::uint64_t seed) { return capped(problem, least, seed); }});
  return trials;
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
