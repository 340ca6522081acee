#include <algorithm>

#include "base/error.h"
#include "base/version.h"
#include "bench/job_list.h"
#include "bench/planning/summary.h"
#include "plan/machine/machine_file.h"
#include "plan/solve/solve.h"
#include "run/measure/stopwatch.h"
#include "store/records/circumstances.h"

// Learned planning against the best of all other methods on each graph, on graphs of families that nothing was learned
// from or tuned on (`planning`), or on those by which variants are chosen (`planning-validation`). What takes part, and
// on what, is said by the files of bench/planning. With --db searches that are done are kept.

namespace hone {
namespace {

using nlohmann::ordered_json;

constexpr std::uint64_t kHeadroomSeed = 1000;  // so that the long search is none of those it is compared with

/// Reads what takes part, in the sizes that count.
PlanningGraphs graphs_that_count(FamilyRole role, const PlanningContest& contest, const BenchOptions& options) {
  PlanningGraphs loaded = load_planning_graphs(role, options.data);
  std::erase_if(loaded.graphs, [&](const PlanningGraph& graph) {
    return graph.label.operations < contest.least_operations || graph.label.operations > contest.most_operations;
  });
  return loaded;
}

/// All searches of the comparison, and what they came to.
class PlanningRun {
 public:
  PlanningRun(std::string_view name, const PlanningContest& contest, std::span<const PlanningGraph> graphs,
              const BenchOptions& options)
      : name_(name), contest_(contest), graphs_(graphs), options_(options), results_(contest.seeds) {}

  PlanningResults run() && {
    for (std::size_t graph = 0; graph < graphs_.size(); ++graph) {
      record_ = graph_record(graphs_[graph].workload);
      for (std::size_t setting = 0; setting < contest_.settings.size(); ++setting)
        if (is_wanted(graph, setting)) add_searches(graph, setting);
    }
    if (jobs_.empty()) fail_usage("no graph of the case is called '{}'", options_.filter);
    run_jobs(name_, options_, std::move(jobs_));
    return std::move(results_);
  }

 private:
  using Take = std::function<void(const PlanningOutcome&)>;

  bool is_wanted(std::size_t graph, std::size_t setting) const {
    const PlanningSetting& where = contest_.settings[setting];
    return fmt::format("{} {} {}", graphs_[graph].label.name, name_of(where.objective), where.machine)
               .find(options_.filter) != std::string::npos;
  }

  void add_searches(std::size_t graph, std::size_t setting) {
    const PlanningSetting& where = contest_.settings[setting];
    const std::vector<PlanningContender>& contenders = contest_.contenders(where.objective);
    PlanningSearch search{.graph = graph, .setting = setting};
    for (search.seed = 0; search.seed < contest_.seeds; ++search.seed)
      for (search.contender = 0; search.contender < contenders.size(); ++search.contender)
        for (search.budget = 0; search.budget < contest_.budgets.size(); ++search.budget)
          add_job(search, contenders[search.contender].optimizer,
                  {.budget = {.evaluations = contest_.budgets[search.budget]}, .seed = options_.seed + search.seed},
                  [this, search](const PlanningOutcome& outcome) { results_.set(search, outcome); });
    if (where == contest_.headroom.setting)
      add_job(search, contest_.standard,
              {.budget = {.evaluations = contest_.headroom.evaluations}, .seed = options_.seed + kHeadroomSeed},
              [this, graph](const PlanningOutcome& outcome) { results_.reach(graph, outcome.value); });
  }

  void add_job(const PlanningSearch& search, const std::string& optimizer, SearchSettings settings, Take take) {
    settings.show_progress = false;
    const PlanningGraph& graph = graphs_[search.graph];
    const PlanningSetting& where = contest_.settings[search.setting];
    const std::string told = fmt::format("{} on {} with {}", graph.label.name, where.machine, optimizer);
    jobs_.push_back(
        {.graph = record_,
         .request = request_of(where, optimizer, settings),
         .length = static_cast<double>(settings.budget.evaluations) * static_cast<double>(graph.label.operations),
         .run = [this, &graph, &where, optimizer, settings] { return solved(graph, where, optimizer, settings); },
         .take = [take](const ordered_json& outcome) { take(PlanningOutcome(outcome)); },
         .told =
             [told, &where](const ordered_json& outcome) {
               return fmt::format("{}: {}", told, value_text(where.objective, outcome.at("value")));
             }});
  }

  ordered_json request_of(const PlanningSetting& where, const std::string& optimizer,
                          const SearchSettings& settings) const {
    return {{"graph", record_.id},
            {"machine", where.machine},
            {"objective", name_of(where.objective)},
            {"tasks", contest_.field(where.objective).tasks},
            {"optimizer", optimizer},
            {"evaluations", settings.budget.evaluations},
            {"seed", settings.seed},
            {"commit", commit()},
            {"computer", computer_}};
  }

  ordered_json solved(const PlanningGraph& graph, const PlanningSetting& where, const std::string& optimizer,
                      const SearchSettings& settings) const {
    const Problem problem{
        .workload = graph.workload, .machine = load_machine(where.machine), .objective = where.objective};
    const Solver solver(problem, contest_.field(where.objective).tasks);
    const std::unique_ptr<Optimizer> made = make_optimizer(optimizer);
    const Stopwatch stopwatch;
    const Solution solution = solver.solve(*made, settings);
    return PlanningOutcome(solution, stopwatch.stop().cpu_seconds).json();
  }

  std::string_view name_;
  const PlanningContest& contest_;
  std::span<const PlanningGraph> graphs_;
  const BenchOptions& options_;
  const std::string computer_ = this_hardware().id;
  GraphRecord record_;  // of the graph whose searches are added
  std::vector<BenchJob> jobs_;
  PlanningResults results_;
};

BenchReport run_planning(std::string_view name, FamilyRole role, const BenchOptions& options) {
  const PlanningContest contest = options.quick ? planning_contest().shortened() : planning_contest();
  const PlanningGraphs loaded = graphs_that_count(role, contest, options);
  const PlanningResults results = PlanningRun(name, contest, loaded.graphs, options).run();
  std::vector<GraphLabel> labels;
  for (const PlanningGraph& graph : loaded.graphs) labels.push_back(graph.label);
  BenchReport report = planning_report(labels, PlanningGains(contest, results));
  report.summary["missing"] = loaded.missing;
  return report;
}

const BenchRun planning("planning", [](const BenchOptions& options) {
  return run_planning("planning", FamilyRole::test, options);
});
const BenchRun planning_validation("planning-validation", [](const BenchOptions& options) {
  return run_planning("planning-validation", FamilyRole::validation, options);
});

}  // namespace
}  // namespace hone
