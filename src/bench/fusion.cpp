#include <algorithm>
#include <deque>
#include <numeric>

#include "base/error.h"
#include "base/text_file.h"
#include "base/version.h"
#include "bench/bench_run.h"
#include "bench/fusion_contest.h"
#include "bench/graph_set.h"
#include "bench/job_list.h"
#include "bench/problem_files.h"
#include "bench/workload_cuts.h"
#include "formats/hlo/read.h"
#include "formats/hlo/workload.h"
#include "plan/machine/machine_file.h"
#include "store/records/circumstances.h"

// What shares a kernel, decided by rules and by searches, by the model of kernels: training graphs of the zoo and XLA
// modules before optimisation, on a GPU, on four and on a processor. With --db what is done is kept.

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kZoo[] = {"zoo:squeezenet:training=true",    "zoo:resnet18:training=true",
                                "zoo:mobilenet-v2:training=true",  "zoo:bert:layers=2,training=true",
                                "zoo:gpt2:layers=2,training=true", "zoo:vit:layers=2,training=true",
                                "zoo:unet:training=true",          "zoo:wavenet:layers=4,training=true",
                                "zoo:deeprank:training=true",      "zoo:graphnets:training=true"};
constexpr const char* kMachines[] = {"h200-1", "p100-4", "cpu-1"};
constexpr std::size_t kPieces = 12;
constexpr const char* kForms[] = {"fuse", "fuse-levels", "fuse-edges"};

std::vector<NamedGraph> graphs_for(const BenchOptions& options) {
  std::vector<NamedGraph> graphs;
  for (const char* spec : kZoo) {
    if (std::string_view(spec).find(options.filter) == std::string_view::npos) continue;
    for (NamedGraph& graph : load_graphs({spec})) graphs.push_back({"zoo:" + graph.name, std::move(graph.workload)});
    if (options.quick) return graphs;
  }
  if (options.data.empty()) return graphs;
  for (const std::filesystem::path& path : module_files(options.data)) {
    const std::string name = path.filename().string();
    if (name.find(options.filter) == std::string::npos) continue;
    graphs.push_back({name, hlo::to_workload(hlo::read_loaded(read_text_file(path), path.string()))});
  }
  return graphs;
}

/// Small pieces of a graph, from its beginning to its end.
std::vector<Json> optimum_rows(const NamedGraph& graph, const BenchOptions& options) {
  constexpr std::size_t kOperations = 9;
  std::vector<Json> rows;
  const std::size_t count = graph.workload.operation_count();
  for (std::size_t piece = 0; piece < kPieces && count > 2 * kOperations; ++piece) {
    const std::size_t first = piece * (count - kOperations) / kPieces;
    const Problem problem{.workload = cut_out(graph.workload, first, kOperations),
                          .machine = load_machine("h200-1"),
                          .objective = Objective::seconds};
    Json row = fusion_optimum(problem, options.quick ? 50 : 1000, options.seed);
    if (row.is_null()) continue;
    row["kind"] = "optimum";
    row["graph"] = fmt::format("{} from {}", graph.name, first);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<double> column(const std::vector<Json>& rows, std::string_view kind, const std::string& name) {
  std::vector<double> values;
  for (const Json& row : rows)
    if (row.at("kind") == kind && row.contains(name)) values.push_back(row.at(name));
  std::ranges::sort(values);
  return values;
}

double mean(const std::vector<double>& values) {
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Percent by which deciding all at once is below deciding one after another, over all graphs and budgets.
std::vector<double> joint_over_sequence(const std::vector<Json>& rows) {
  std::vector<double> percent;
  for (const Json& row : rows)
    for (const auto& [name, value] : row.items())
      if (name.starts_with("joint-"))
        percent.push_back(100 * (1 - value.get<double>() / row.at("sequence-" + name.substr(6)).get<double>()));
  std::ranges::sort(percent);
  return percent;
}

Json summary_of(const std::vector<Json>& rows) {
  const auto spread = [](const std::vector<double>& values) {
    const auto at = [&](std::size_t tenths) { return values.empty() ? 0 : values[tenths * (values.size() - 1) / 10]; };
    return Json{{"mean", mean(values)}, {"least", at(0)},     {"tenth", at(1)},
                {"median", at(5)},      {"ninetieth", at(9)}, {"most", at(10)}};
  };
  Json summary{{"best_over_priority_percent", spread(column(rows, "contest", "best_over_priority_percent"))}};
  const std::vector<double> peaks = column(rows, "contest", "capped_peak_percent");
  summary["peak_over_unfused_percent"] = peaks.empty() ? 0 : peaks.back();
  summary["joint_over_sequence_percent"] = spread(joint_over_sequence(rows));
  const std::vector<double> priority = column(rows, "optimum", "priority_gap_percent");
  summary["optimum_graphs"] = priority.size();
  summary["optimum_gap_percent"] = {{"priority", mean(priority)},
                                    {"merging", mean(column(rows, "optimum", "merging_gap_percent"))},
                                    {"search", mean(column(rows, "optimum", "search_gap_percent"))}};
  return summary;
}

/// All trials of all graphs on all machines, and pieces small enough for all decisions.
class FusionRun {
 public:
  FusionRun(std::span<const NamedGraph> graphs, const BenchOptions& options) : graphs_(graphs), options_(options) {}

  std::vector<Json> run() && {
    for (const char* name : kMachines) machines_.push_back(load_machine(name));
    for (const NamedGraph& graph : graphs_) {
      for (const Machine& machine : machines_) add_trials(graph, machine);
      pieces_.emplace_back();
      add_job(
          graph, "pieces", "", kPieces * kPieceLength,
          [this, &graph] {
            return Json{{"rows", optimum_rows(graph, options_)}};
          },
          [&pieces = pieces_.back()](const Json& outcome) { pieces = outcome.at("rows"); });
    }
    run_jobs("fusion", options_, std::move(jobs_));
    std::vector<Json> rows;
    for (Json& row : rows_) rows.push_back(judged(std::move(row)));
    for (std::vector<Json>& pieces : pieces_) std::ranges::move(pieces, std::back_inserter(rows));
    return rows;
  }

 private:
  using Outcome = std::function<Json()>;
  using Take = std::function<void(const Json&)>;
  static constexpr double kPieceLength = 100;

  void add_trials(const NamedGraph& graph, const Machine& machine) {
    const std::size_t count = graph.workload.operation_count();
    Json& row = rows_.emplace_back(
        Json{{"kind", "contest"}, {"graph", graph.name}, {"machine", machine.name}, {"operations", count}});
    const std::vector<std::uint64_t> budgets =
        options_.quick ? std::vector<std::uint64_t>{50} : std::vector<std::uint64_t>{1000, 5000};
    for (const FusionTrial& trial : fusion_trials(machine, budgets))
      add_job(
          graph, trial.name, machine.name, static_cast<double>(trial.evaluations) * static_cast<double>(count),
          [this, &graph, &machine, trial] {
            const Problem problem{.workload = graph.workload, .machine = machine, .objective = Objective::seconds};
            return trial.run(problem, options_.seed);
          },
          [&row](const Json& outcome) { row.merge_patch(outcome); });
  }

  void add_job(const NamedGraph& graph, const std::string& trial, const std::string& machine, double length,
               Outcome run, Take take) {
    GraphRecord record = graph_record(graph.workload);
    Json request{{"graph", record.id},    {"trial", trial},          {"machine", machine},
                 {"seed", options_.seed}, {"quick", options_.quick}, {"commit", commit()}};
    const std::string told = fmt::format("{} on {}, {}", graph.name, machine, trial);
    jobs_.push_back({.graph = std::move(record),
                     .request = std::move(request),
                     .length = length,
                     .run = std::move(run),
                     .take = std::move(take),
                     .told = [told](const Json&) { return told; }});
  }

  /// With the least that its searches found, priority fusion among them.
  static Json judged(Json row) {
    const double priority = row.at("seconds").at("priority");
    double best = priority;
    for (const auto& [name, seconds] : row.at("seconds").items()) best = std::min(best, seconds.get<double>());
    row["priority"] = priority;
    row["best"] = best;
    row["best_over_priority_percent"] = 100 * (1 - best / priority);
    return row;
  }

  std::span<const NamedGraph> graphs_;
  const BenchOptions& options_;
  std::vector<Machine> machines_;
  std::deque<Json> rows_;                 // by graph and machine; they stay where they are
  std::deque<std::vector<Json>> pieces_;  // by graph
  std::vector<BenchJob> jobs_;
};

BenchReport run_fusion(const BenchOptions& options) {
  const std::vector<NamedGraph> graphs = graphs_for(options);
  if (graphs.empty()) fail_usage("no graph of the case is called '{}'", options.filter);
  BenchReport report{.rows = FusionRun(graphs, options).run()};
  report.summary = summary_of(report.rows);
  const Problem large{.workload = tiled(graphs.front().workload, 20'000), .machine = load_machine("p100-4")};
  double slowest = 0;
  for (const char* form : kForms) {
    const double milliseconds = milliseconds_an_evaluation(large, form, options.seed);
    report.summary[fmt::format("ms_20k_{}", form)] = milliseconds;
    slowest = std::max(slowest, milliseconds);
  }
  report.summary["ms_20k"] = slowest;
  return report;
}

const BenchRun fusion("fusion", run_fusion);

}  // namespace
}  // namespace hone
