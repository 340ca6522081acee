#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>

#include "base/text_file.h"
#include "base/thread_pool.h"
#include "bench/bench_run.h"
#include "bench/fusion_contest.h"
#include "bench/graph_set.h"
#include "bench/problem_files.h"
#include "bench/workload_cuts.h"
#include "formats/hlo/read.h"
#include "formats/hlo/workload.h"
#include "plan/machine/machine_file.h"

// What shares a kernel, decided by rules and by searches, by the model of kernels: training graphs of the zoo and XLA
// modules before optimisation, on a GPU, on four and on a processor.

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kZoo[] = {"zoo:squeezenet:training=true",    "zoo:resnet18:training=true",
                                "zoo:mobilenet-v2:training=true",  "zoo:bert:layers=2,training=true",
                                "zoo:gpt2:layers=2,training=true", "zoo:vit:layers=2,training=true",
                                "zoo:unet:training=true",          "zoo:wavenet:layers=4,training=true",
                                "zoo:deeprank:training=true",      "zoo:graphnets:training=true"};
constexpr const char* kMachines[] = {"h200-1", "p100-4", "cpu-1"};
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

/// The least of what the searches of a row found, priority fusion and no fusion among them.
double least_seconds(const Json& row) {
  double best = row.at("priority");
  for (const auto& [name, value] : row.at("seconds").items()) best = std::min(best, value.get<double>());
  return best;
}

Json contest_row(const NamedGraph& graph, const char* machine, const BenchOptions& options) {
  const FusionContest contest(graph.workload, load_machine(machine));
  const std::vector<std::uint64_t> budgets =
      options.quick ? std::vector<std::uint64_t>{50} : std::vector<std::uint64_t>{1000, 5000};
  Json row{{"kind", "contest"},
           {"graph", graph.name},
           {"machine", machine},
           {"operations", graph.workload.operation_count()}};
  row["seconds"] = contest.run(budgets, options.seed);
  row["priority"] = row["seconds"]["priority"];
  row["best"] = least_seconds(row);
  row["best_over_priority_percent"] = 100 * (1 - row["best"].get<double>() / row["priority"].get<double>());
  row.update(contest.run_capped(budgets.front(), options.seed));
  if (contest.problem().machine.device_count() > 1)
    for (const std::uint64_t budget : budgets) {
      const Json joint = contest.run_joint(budget, options.seed);
      for (const auto& [name, value] : joint.items()) row[fmt::format("{}-{}", name, budget)] = value;
    }
  return row;
}

/// Small pieces of a graph, from its beginning to its end.
std::vector<Json> optimum_rows(const NamedGraph& graph, const BenchOptions& options) {
  constexpr std::size_t kPieces = 12, kOperations = 9;
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

BenchReport run_fusion(const BenchOptions& options) {
  const std::vector<NamedGraph> graphs = graphs_for(options);
  constexpr std::size_t kJobs = std::size(kMachines) + 1;  // the last are pieces small enough for all decisions
  std::vector<std::vector<Json>> rows(graphs.size() * kJobs);
  ThreadPool pool(std::max(1U, std::thread::hardware_concurrency()));
  pool.for_each(rows.size(), [&](std::size_t, std::size_t job) {
    const NamedGraph& graph = graphs[job / kJobs];
    const std::size_t machine = job % kJobs;
    if (machine == std::size(kMachines)) rows[job] = optimum_rows(graph, options);
    else rows[job] = {contest_row(graph, kMachines[machine], options)};
  });
  BenchReport report;
  for (std::vector<Json>& some : rows)
    for (Json& row : some) report.rows.push_back(std::move(row));
  report.summary = summary_of(report.rows);
  if (graphs.empty()) return report;
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
