#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/error.h"
#include "base/version.h"
#include "bench/job_list.h"
#include "bench/planning/contest.h"
#include "bench/planning/graphs.h"
#include "bench/planning/interval.h"
#include "plan/machine/machine_file.h"
#include "plan/solve/solve.h"
#include "run/measure/stopwatch.h"
#include "store/records/circumstances.h"

// How long what `hone plan` does for memory takes to the peak that a genetic algorithm has after the 1,200 generations
// that XLA gives it in production, on graphs of test families: the order of work on one device, which is what it does
// there, and devices and order together. With --db searches that are done are kept; --quick takes small graphs and few
// generations.

namespace hone {
namespace {

using nlohmann::ordered_json;

constexpr const char* kGenetic = "brkga:population=60,elite=0.3";
constexpr std::uint64_t kPopulation = 60, kNewOfGeneration = 42, kGenerations = 1200, kQuickGenerations = 10;
constexpr std::uint64_t kUsualEvaluations = 5000;
constexpr std::size_t kQuickOperations = 1500;
constexpr double kMegabyte = 1e6;

/// What is decided on a machine, and by what `hone plan` decides it.
struct PeakSetting {
  const char *machine, *tasks, *usual;
};
constexpr PeakSetting kSettings[] = {{"h200-1", "schedule", "memory-order+exact-memory"},
                                     {"regal-2", "place+schedule+transfers+wait", "memory-search"},
                                     {"p100-4", "place+schedule+transfers+wait", "memory-search"}};

/// A search, with the processor seconds that it took.
struct TimedSolution {
  Solution solution;
  double cpu_seconds = 0;

  /// Processor seconds, and evaluations, until it had a plan as good as that; nothing where it never had.
  std::optional<std::pair<double, std::uint64_t>> until(double value) const {
    for (const Solution::Point& point : solution.curve)
      if (point.score.value <= value)
        return std::pair(solution.seconds > 0 ? cpu_seconds * point.seconds / solution.seconds : 0, point.evaluations);
    return std::nullopt;
  }
};

TimedSolution timed(const Solver& solver, const std::string& optimizer, std::uint64_t evaluations, std::uint64_t seed) {
  const std::unique_ptr<Optimizer> made = make_optimizer(optimizer);
  const Stopwatch stopwatch;
  Solution solution =
      solver.solve(*made, {.budget = {.evaluations = evaluations}, .seed = seed, .show_progress = false});
  return {std::move(solution), stopwatch.stop().cpu_seconds};
}

ordered_json peak_row(const PlanningGraph& graph, const PeakSetting& setting, std::uint64_t generations,
                      std::uint64_t seed) {
  const Problem problem{
      .workload = graph.workload, .machine = load_machine(setting.machine), .objective = Objective::peak_bytes};
  const Solver solver(problem, setting.tasks);
  const TimedSolution genetic = timed(solver, kGenetic, kPopulation + (generations - 1) * kNewOfGeneration, seed);
  const TimedSolution usual = timed(solver, setting.usual, kUsualEvaluations, seed);
  const double target = genetic.solution.score.value;
  const auto reached = usual.until(target);
  ordered_json row{{"graph", graph.label.name},
                   {"family", graph.label.family},
                   {"operations", graph.label.operations},
                   {"machine", setting.machine},
                   {"genetic_mb", target / kMegabyte},
                   {"genetic_seconds", genetic.cpu_seconds},
                   {"usual_mb", usual.solution.score.value / kMegabyte},
                   {"seconds_to_peak", nullptr},
                   {"evaluations_to_peak", nullptr}};
  if (reached) row["seconds_to_peak"] = reached->first, row["evaluations_to_peak"] = reached->second;
  return row;
}

/// Of one machine: on how many graphs the peak was reached, in what share of the time there, and how far below it ends.
ordered_json peak_summary(std::span<const ordered_json> rows) {
  std::vector<GraphShare> logarithms, below;
  for (const ordered_json& row : rows) {
    below.push_back({.part = 100 * (1 - row["usual_mb"].get<double>() / row["genetic_mb"].get<double>())});
    constexpr double kShortest = 1e-6;  // the start itself may be as good
    if (!row["seconds_to_peak"].is_null())
      logarithms.push_back({.part = std::log(std::max(kShortest, row["seconds_to_peak"].get<double>()) /
                                             row["genetic_seconds"].get<double>())});
  }
  ordered_json summary{{"graphs", rows.size()}, {"reached", logarithms.size()}};
  if (!logarithms.empty()) {
    const GraphFigure share = over_graphs(logarithms);
    summary["time_share"] = {
        {"value", std::exp(share.value)}, {"low", std::exp(share.low)}, {"high", std::exp(share.high)}};
  }
  summary["peak_below_percent"] = over_graphs(below).json();
  return summary;
}

BenchReport run_time_to_peak(const BenchOptions& options) {
  const PlanningContest contest = planning_contest();
  const std::size_t most = options.quick ? kQuickOperations : contest.most_operations;
  const std::uint64_t generations = options.quick ? kQuickGenerations : kGenerations;
  PlanningGraphs loaded = load_planning_graphs(FamilyRole::test, options.data);
  std::erase_if(loaded.graphs, [&](const PlanningGraph& graph) {
    const std::size_t operations = graph.label.operations;
    return graph.label.origin != GraphOrigin::real || operations < contest.least_operations || operations > most;
  });
  const std::string computer = this_hardware().id;
  std::map<std::string, std::vector<ordered_json>> rows;
  std::vector<BenchJob> jobs;
  for (const PlanningGraph& graph : loaded.graphs) {
    const GraphRecord record = graph_record(graph.workload);
    for (const PeakSetting& setting : kSettings) {
      const std::string name = fmt::format("{} {}", graph.label.name, setting.machine);
      if (name.find(options.filter) == std::string::npos) continue;
      jobs.push_back({.graph = record,
                      .request = {{"graph", record.id},
                                  {"machine", setting.machine},
                                  {"usual", setting.usual},
                                  {"generations", generations},
                                  {"seed", options.seed},
                                  {"commit", commit()},
                                  {"computer", computer}},
                      .length = static_cast<double>(graph.label.operations),
                      .run = [&graph, &setting, generations,
                              seed = options.seed] { return peak_row(graph, setting, generations, seed); },
                      .take = [&rows](const ordered_json& row) { rows[row["machine"]].push_back(row); },
                      .told = [name](const ordered_json&) { return name; }});
    }
  }
  if (jobs.empty()) fail_usage("no graph and machine of the case are called '{}'", options.filter);
  run_jobs("time-to-peak", options, std::move(jobs));
  BenchReport report;
  for (auto& [machine, found] : rows) {
    std::ranges::sort(found, {}, [](const ordered_json& row) { return row["operations"].get<std::size_t>(); });
    report.summary[machine] = peak_summary(found);
    std::ranges::move(found, std::back_inserter(report.rows));
  }
  report.summary["missing"] = loaded.missing;
  return report;
}

const BenchRun time_to_peak("time-to-peak", run_time_to_peak);

}  // namespace
}  // namespace hone
