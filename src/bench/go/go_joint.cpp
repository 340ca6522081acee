#include <deque>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text_file.h"
#include "base/version.h"
#include "bench/go/joint_results.h"
#include "bench/graph_set.h"
#include "bench/job_list.h"
#include "bench/planning/planning_file.h"
#include "bench/problem_files.h"
#include "formats/hlo/read.h"
#include "formats/hlo/workload.h"
#include "plan/machine/machine_file.h"
#include "store/records/circumstances.h"

// Kernels, devices and order: by default, each alone, one after another and jointly, all with the same evaluations in
// all. bench/planning/go-joint.json says on what. With --db searches that are done are kept; with --data graphs are XLA
// modules.

namespace hone {
namespace {

using nlohmann::ordered_json;

/// Limits of memory under which joint plans are looked for, as shares of what the best sequence holds.
constexpr double kMemoryShares[] = {0.95, 0.85, 0.7};

JointOutcome outcome_of(const ordered_json& json) { return {json.at("seconds"), json.at("peak_bytes")}; }

class JointBenchRun {
 public:
  JointBenchRun(std::span<const JointWay> ways, const BenchOptions& options)
      : ways_(ways), options_(options), file_(planning_file("go-joint")) {
    evaluations_ = options.quick ? 60 : file_.at("evaluations").get<std::uint64_t>();
    seeds_ = options.quick ? 1 : file_.at("seeds").get<std::uint64_t>();
  }

  std::deque<JointRow> run() && {
    load();
    if (rows_.empty()) fail_usage("no graph of the case is called '{}'", options_.filter);
    for (std::size_t i = 0; i < rows_.size(); ++i)
      for (std::size_t way = 0; way < ways_.size(); ++way)
        for (std::uint64_t seed = 0; seed < seeds_; ++seed) add_way(i, way, options_.seed + seed);
    run_jobs("go-joint", options_, std::move(jobs_));
    jobs_.clear();
    for (std::size_t i = 0; i < rows_.size(); ++i)
      for (const double share : kMemoryShares) add_limit(i, share);
    run_jobs("go-joint", options_, std::move(jobs_));
    return std::move(rows_);
  }

 private:
  void load() {
    if (options_.data.empty()) {
      if (options_.quick) add_zoo_graph("squeezenet", "p100-2", "zoo:squeezenet:training=true");
      else
        for (const nlohmann::json& graph : file_.at("graphs"))
          add_zoo_graph(graph.at("name"), graph.at("machine"), graph.at("model"));
      return;
    }
    for (const std::filesystem::path& path : module_files(options_.data))
      if (const std::string name = path.filename().string(); is_wanted(name))
        add_graph(name, file_.at("module_machine"),
                  hlo::to_workload(hlo::read_loaded(read_text_file(path), path.string())));
  }

  void add_zoo_graph(const std::string& name, const std::string& machine, const std::string& model) {
    if (is_wanted(name)) add_graph(name, machine, std::move(load_graphs({model}).front().workload));
  }

  bool is_wanted(const std::string& name) const { return name.find(options_.filter) != std::string::npos; }

  void add_graph(const std::string& name, const std::string& machine, Workload workload) {
    problems_.push_back(
        {.workload = std::move(workload), .machine = load_machine(machine), .objective = Objective::seconds});
    rows_.emplace_back(ways_, name, machine, problems_.back().workload.operation_count());
  }

  void add_way(std::size_t graph, std::size_t way, std::uint64_t seed) {
    add_job(graph,
            {.way = ways_[way].name,
             .seed = seed,
             .share = ways_[way].share,
             .run = [this, way, seed](const Problem& problem) { return ways_[way].run(problem, evaluations_, seed); }},
            [&row = rows_[graph], way, seed](const JointOutcome& outcome) { row.set(way, seed, outcome); });
  }

  void add_limit(std::size_t graph, double share) {
    const double bytes = share * rows_[graph].best(WayKind::sequence)->peak_bytes;
    add_job(
        graph,
        {.way = fmt::format("joint within {} bytes", bytes),
         .seed = options_.seed,
         .run = [this, bytes](
                    const Problem& problem) { return jointly_within(problem, bytes, evaluations_, options_.seed); }},
        [&row = rows_[graph], bytes](const JointOutcome& outcome) {
          if (outcome.peak_bytes <= bytes) row.add_within_memory(outcome);
        });
  }

  /// One search of the table.
  struct Trial {
    std::string way;
    std::uint64_t seed = 0;
    double share = 1;  // of the evaluations of others
    std::function<Solution(const Problem&)> run;
  };

  void add_job(std::size_t graph, Trial trial, std::function<void(const JointOutcome&)> take) {
    const Problem& problem = problems_[graph];
    GraphRecord record = graph_record(problem.workload);
    ordered_json request{{"graph", record.id}, {"machine", problem.machine.name},
                         {"way", trial.way},   {"evaluations", evaluations_},
                         {"seed", trial.seed}, {"commit", commit()}};
    const std::string told = fmt::format("{}: {}", rows_[graph].graph(), trial.way);
    jobs_.push_back({.graph = std::move(record),
                     .request = std::move(request),
                     .length = trial.share * static_cast<double>(problem.workload.operation_count()),
                     .run = [&problem, run = std::move(trial.run)] { return solved(problem, run); },
                     .take =
                         [take = std::move(take)](const ordered_json& json) {
                           if (!json.empty()) take(outcome_of(json));
                         },
                     .told =
                         [told](const ordered_json& json) {
                           return fmt::format("{}: {:.6g} s", told, json.value("seconds", 0.0));
                         }});
  }

  /// Nothing where a policy is asked for that is not there.
  static ordered_json solved(const Problem& problem, const std::function<Solution(const Problem&)>& run) {
    try {
      const Solution solution = run(problem);
      return {{"seconds", solution.cost.seconds}, {"peak_bytes", solution.cost.peak_bytes}};
    } catch (const InputError&) {
      return ordered_json::object();
    }
  }

  std::span<const JointWay> ways_;
  const BenchOptions& options_;
  nlohmann::json file_;
  std::uint64_t evaluations_ = 0, seeds_ = 1;
  std::deque<Problem> problems_;
  std::deque<JointRow> rows_;  // by graph; they stay where they are
  std::vector<BenchJob> jobs_;
};

BenchReport run_go_joint(const BenchOptions& options) {
  const std::vector<JointWay> ways = joint_ways();
  const std::deque<JointRow> graphs = JointBenchRun(ways, options).run();
  const std::vector<JointRow> rows(graphs.begin(), graphs.end());
  BenchReport report;
  for (const JointRow& row : rows) report.rows.push_back(row.json());
  report.summary = joint_summary(rows, ways);
  return report;
}

const BenchRun go_joint("go-joint", run_go_joint);

}  // namespace
}  // namespace hone
