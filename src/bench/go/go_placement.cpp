#include <algorithm>
#include <deque>

#include "base/error.h"
#include "base/text_file.h"
#include "base/version.h"
#include "bench/go/layer_split.h"
#include "bench/go/placement_results.h"
#include "bench/graph_set.h"
#include "bench/job_list.h"
#include "bench/problem_files.h"
#include "formats/hlo/read.h"
#include "formats/hlo/workload.h"
#include "learn/policy/learn_library.h"
#include "plan/machine/machine_file.h"
#include "plan/solve/solve.h"
#include "run/measure/stopwatch.h"
#include "store/records/circumstances.h"

// GO's table: devices of training graphs of the papers' sizes on P100 machines, by experts, classical methods, prior
// learned placers and GO. bench/planning/go-placement.json says who takes part on what. With --db searches that are
// done are kept; with --data graphs are XLA modules, and nothing is trained on them.

namespace hone {
namespace {

using nlohmann::ordered_json;

constexpr const char* kRefused = "refused";

/// Whether there is such a method: those that learn with gradients are where the library for that is.
bool is_there(const PlacementContender& contender) {
  try {
    open_for_optimizer(contender.optimizer);
    make_optimizer(contender.optimizer);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

class PlacementRun {
 public:
  PlacementRun(const PlacementContest& contest, const BenchOptions& options) : contest_(contest), options_(options) {
    for (const PlacementContender& contender : contest.contenders) takes_part_.push_back(is_there(contender));
  }

  std::deque<PlacementRow> run() && {
    if (options_.data.empty())
      for (const PlacementGraph& graph : contest_.graphs) {
        if (is_wanted(graph.name)) add_graph(graph, std::move(load_graphs({graph.model}).front().workload));
      }
    else add_modules();
    if (rows_.empty()) fail_usage("no graph of the case is called '{}'", options_.filter);
    run_jobs("go-placement", options_, std::move(jobs_));
    return std::move(rows_);
  }

 private:
  bool is_wanted(const std::string& name) const { return name.find(options_.filter) != std::string::npos; }

  void add_modules() {
    for (const std::filesystem::path& path : module_files(options_.data)) {
      const std::string name = path.filename().string();
      if (is_wanted(name))
        add_graph({.name = name, .family = "module", .machine = contest_.module_machine},
                  hlo::to_workload(hlo::read_loaded(read_text_file(path), path.string())));
    }
  }

  void add_graph(const PlacementGraph& graph, Workload workload) {
    const Problem& problem = problems_.emplace_back(Problem{
        .workload = std::move(workload), .machine = load_machine(graph.machine), .objective = contest_.objective});
    PlacementRow& row = rows_.emplace_back(contest_, graph, problem.workload.operation_count());
    if (!graph.layers.empty()) {
      const std::unique_ptr<Evaluator> evaluator = evaluator_for(problem);
      for (const Plan& plan : layer_splits(problem, layers_of(problem.workload, graph.layers)))
        if (const Cost cost = evaluator->evaluate(plan); score(problem.objective, cost).excess == 0)
          row.add_expert(cost.seconds);
    }
    const GraphRecord record = graph_record(problem.workload);
    for (std::size_t contender = 0; contender < contest_.contenders.size(); ++contender) {
      if (!takes_part_[contender]) continue;
      if (!options_.data.empty() && contest_.contenders[contender].learns_here()) continue;
      for (std::size_t seed = 0; seed < contest_.contenders[contender].seeds; ++seed)
        add_job(record, problem, row, contender, seed);
    }
  }

  void add_job(const GraphRecord& record, const Problem& problem, PlacementRow& row, std::size_t contender,
               std::size_t seed) {
    const PlacementContender& who = contest_.contenders[contender];
    const SearchSettings settings{
        .budget = {.evaluations = who.evaluations}, .seed = options_.seed + seed, .show_progress = false};
    const std::string told = fmt::format("{} with {}", row.graph().name, who.optimizer);
    jobs_.push_back(
        {.graph = record,
         .request = {{"graph", record.id},
                     {"machine", problem.machine.name},
                     {"objective", name_of(problem.objective)},
                     {"tasks", contest_.tasks},
                     {"optimizer", who.optimizer},
                     {"evaluations", who.evaluations},
                     {"seed", settings.seed},
                     {"commit", commit()}},
         .length = static_cast<double>(who.evaluations) * static_cast<double>(problem.workload.operation_count()),
         .run = [this, &problem, &who, settings] { return solved(problem, who, settings); },
         .take =
             [&row, contender, seed](const ordered_json& outcome) {
               if (!outcome.contains(kRefused)) row.set(contender, seed, PlacementOutcome(outcome));
             },
         .told =
             [told](const ordered_json& outcome) {
               if (outcome.contains(kRefused))
                 return fmt::format("{}: {}", told, outcome.at(kRefused).get<std::string>());
               const ordered_json& seconds = outcome.at("seconds");
               return fmt::format("{}: {}", told, seconds.is_null() ? "does not fit" : seconds.dump() + " s");
             }});
  }

  ordered_json solved(const Problem& problem, const PlacementContender& who, const SearchSettings& settings) const {
    const std::unique_ptr<Optimizer> optimizer = make_optimizer(who.optimizer);
    const Stopwatch stopwatch;
    try {
      const Solution solution = Solver(problem, contest_.tasks).solve(*optimizer, settings);
      return PlacementOutcome(solution, stopwatch.stop().cpu_seconds).json();
    } catch (const InputError& error) {
      return {{kRefused, error.what()}};  // a policy that is not there
    }
  }

  const PlacementContest& contest_;
  const BenchOptions& options_;
  std::vector<bool> takes_part_;  // by contender
  std::deque<Problem> problems_;
  std::deque<PlacementRow> rows_;  // by graph; they stay where they are
  std::vector<BenchJob> jobs_;
};

BenchReport run_go_placement(const BenchOptions& options) {
  const PlacementContest contest = options.quick ? placement_contest().shortened() : placement_contest();
  const std::deque<PlacementRow> graphs = PlacementRun(contest, options).run();
  const std::vector<PlacementRow> rows(graphs.begin(), graphs.end());
  BenchReport report{.summary = placement_summary(rows)};
  for (const PlacementRow& row : rows) report.rows.push_back(row.json());
  ordered_json curves = ordered_json::array();
  for (const PlacementRow& row : rows)
    for (ordered_json& curve : row.curves()) curves.push_back(std::move(curve));
  if (!curves.empty()) report.rows.push_back({{"curves", std::move(curves)}});  // for programs: no column of the table
  return report;
}

const BenchRun go_placement("go-placement", run_go_placement);

}  // namespace
}  // namespace hone
