#include <algorithm>
#include <cmath>
#include <deque>

#include "base/error.h"
#include "base/text_file.h"
#include "base/version.h"
#include "bench/advantage_calibration.h"
#include "bench/advantage_results.h"
#include "bench/bench_run.h"
#include "bench/graph_set.h"
#include "bench/job_list.h"
#include "bench/learned_kernel_cost.h"
#include "bench/problem_files.h"
#include "formats/hlo/read.h"
#include "formats/hlo/workload.h"
#include "plan/machine/machine_file.h"
#include "plan/solve/solve.h"
#include "run/measure/stopwatch.h"
#include "store/records/circumstances.h"

// What shares a kernel, searched where a policy says that it matters, against random search, as in the table of
// "Learning local advantage functions", 2021. Families of graphs:
// - training, as the card of the policy says: resnet, inception, nasnet, bert, gpt2, vit, llama, wavenet, rnnlm, gnmt;
// - validation, by which everything was chosen: squeezenet, transformer-xl, mamba, dalle-mini;
// - test: what is below, never looked at before, and XLA modules where a folder of them is given.
// With --db searches that are done are kept, and a run that was killed goes on where it ended.

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kAdvantageForm = "fuse-edges", kAdvantageMachine = "h200-1";

const std::vector<std::string> kTrainingGraphs = {
    "zoo:resnet18:training=true",       "zoo:inception-v3:training=true",     "zoo:nasnet-a:cells=1,training=true",
    "zoo:bert:layers=4,training=true",  "zoo:gpt2:layers=4,training=true",    "zoo:vit:layers=4,training=true",
    "zoo:llama:layers=4,training=true", "zoo:wavenet:layers=9,training=true", "zoo:rnnlm:length=12,training=true",
    "zoo:gnmt:length=8,training=true"};
const std::vector<std::string> kTestGraphs = {
    "zoo:graphnets:training=true", "zoo:unet:training=true",          "zoo:deeprank:training=true",
    "zoo:mnasnet:training=true",   "zoo:ssd-mobilenet:training=true", "zoo:graphnets:rounds=110,training=true"};
const std::vector<std::string> kValidationGraphs = {
    "zoo:squeezenet:training=true", "zoo:transformer-xl:layers=2,training=true",
    "zoo:mamba:layers=2,length=8,training=true", "zoo:dalle-mini:layers=1,training=true"};

/// A search of the table.
struct AdvantageRow {
  std::string name, optimizer;
  bool is_ours = false;                                                   // uses predicted advantages
  std::size_t most_operations = std::numeric_limits<std::size_t>::max();  // of graphs on which it does not take long
};
constexpr std::size_t kSmallGraph = 1000, kLargeGraph = 10000;  // operations
/// GO decides for single operations, and so from nothing decided, wherever others start.
constexpr std::string_view kGoSearch = "go:decode=direct,about=everything";
/// Not an optimiser that a user has.
constexpr std::string_view kLearnedCostSearch = "anneal on a learned model";
constexpr std::uint64_t kModelEvaluations = 5000;  // of each annealing: as many as others have of the real thing
const std::vector<AdvantageRow> kAdvantageRows = {
    {"random", "advantage:policy=none"},
    {"published", "advantage:rank=absolute,flips=single,learning=offline", true},
    {"single", "advantage:flips=single", true, kSmallGraph},
    {"advantage", "advantage", true},
    {"zero-step", "advantage:policy=zero-step", false, kSmallGraph},
    {"untrained", "advantage:policy=untrained", false, kSmallGraph},
    {"anneal", "anneal"},
    {"local", "local"},
    {"aimed-local", "local:aim=advantage", true, kSmallGraph},
    {"go", std::string(kGoSearch)},
    {"learned-cost", std::string(kLearnedCostSearch), false, kLargeGraph},
};
/// Rules by themselves.
constexpr std::string_view kAdvantageRules[] = {"fuse-priority", "fuse-topological"};
/// Where searches start: what priority fusion decides, the best of all rules, decisions drawn at random.
constexpr std::string_view kDefault = "default", kBestRule = "rules", kRandom = "random";

std::vector<NamedGraph> graphs_of(const std::vector<std::string>& zoo, const BenchOptions& options) {
  std::vector<NamedGraph> graphs;
  for (const std::string& spec : zoo) {
    if (spec.find(options.filter) == std::string::npos) continue;
    for (NamedGraph& graph : load_graphs({spec})) graphs.push_back({std::move(graph.name), std::move(graph.workload)});
    if (options.quick) return graphs;
  }
  if (options.data.empty()) return graphs;
  for (const std::filesystem::path& path : module_files(options.data))
    if (const std::string name = path.filename().string(); name.find(options.filter) != std::string::npos)
      graphs.push_back({name, hlo::to_workload(hlo::read_loaded(read_text_file(path), path.string()))});
  return graphs;
}

Plan random_start(const Problem& problem, std::uint64_t seed) {
  Plan plan = undecided_plan(problem);
  const std::unique_ptr<Task> task = make_task(problem, kAdvantageForm, plan);
  Rng rng = Rng(seed).split(0x57A7);
  Decisions row(task->sites().size());
  for (float& key : row) key = static_cast<float>(rng.uniform());
  task->apply(row, plan);
  return plan;
}

std::unique_ptr<Optimizer> optimizer_of_row(const std::string& optimizer) {
  if (optimizer != kLearnedCostSearch) return make_optimizer(optimizer);
  static const LearnedKernelCost model(kTrainingGraphs, load_machine(std::string(kAdvantageMachine)));
  return std::make_unique<AnnealOnModel>(model, kModelEvaluations);
}

Plan start_plan(const Problem& problem, std::string_view start, std::uint64_t seed) {
  if (start == kRandom) return random_start(problem, seed);
  const std::string_view rules = start == kDefault ? "fuse-priority" : "fuse-priority+fuse-all+fuse-merging";
  return solve(problem, kAdvantageForm, rules, {.show_progress = false}).plan;
}

/// The points from where a search has its start on: rules before it are not part of it.
AdvantageCurve searched(const Problem& problem, const std::string& optimizer, std::string_view start,
                        const SearchSettings& settings) {
  const Stopwatch stopwatch;
  const Plan first = optimizer == kGoSearch ? undecided_plan(problem) : start_plan(problem, start, settings.seed);
  const Solution solution = Solver(problem, kAdvantageForm, first).solve(*optimizer_of_row(optimizer), settings);
  AdvantageCurve curve;
  for (const Solution::Point& point : solution.curve) curve.points.push_back({point.evaluations, point.score.value});
  curve.cpu_seconds = stopwatch.stop().cpu_seconds;
  return curve;
}

/// All searches of the table.
class AdvantageRun {
 public:
  AdvantageRun(std::span<const NamedGraph> graphs, const BenchOptions& options)
      : options_(options), machine_(load_machine(std::string(kAdvantageMachine))) {
    for (const NamedGraph& graph : graphs) {
      problems_.push_back({.workload = graph.workload, .machine = machine_, .objective = Objective::seconds});
      for (const std::string_view start : {kDefault, kRandom, kBestRule}) add_contest(graph.name, start);
      add_calibration();
    }
  }

  BenchReport run() && {
    run_jobs("advantage", options_, std::move(jobs_));
    BenchReport report;
    for (const AdvantageContest& contest : contests_) report.rows.push_back(row_of(contest));
    report.summary = summary();
    return report;
  }

 private:
  std::size_t seeds() const { return options_.quick ? 1 : 5; }
  std::uint64_t evaluations() const { return options_.quick ? 300 : 5000; }

  void add_contest(const std::string& graph, std::string_view start) {
    const Problem& problem = problems_.back();
    AdvantageContest& contest = contests_.emplace_back(AdvantageContest{
        .graph = graph, .start = std::string(start), .operations = problem.workload.operation_count()});
    for (const std::string_view rule : kAdvantageRules) {
      const double value =
          solve(problem, kAdvantageForm, rule, {.budget = {.evaluations = 2}, .show_progress = false}).score.value;
      contest.curves[std::string(rule)].push_back({.points = {{1, value}}});
    }
    contest.priority = contest.value("fuse-priority");
    for (const AdvantageRow& row : kAdvantageRows) {
      if (contest.operations > row.most_operations) continue;
      if (start == kBestRule && row.name != "advantage" && row.name != "local") continue;
      contest.curves[row.name].resize(seeds());
      for (std::size_t seed = 0; seed < seeds(); ++seed)
        add_job(problem, row.optimizer, start, seed, [&curve = contest.curves[row.name][seed]](const Json& outcome) {
          curve = AdvantageCurve::of(outcome);
        });
    }
  }

  void add_job(const Problem& problem, const std::string& optimizer, std::string_view start, std::size_t repeat,
               std::function<void(const Json&)> take) {
    const SearchSettings settings{
        .budget = {.evaluations = evaluations()}, .seed = options_.seed + repeat, .show_progress = false};
    GraphRecord record = graph_record(problem.workload);
    Json request{{"graph", record.id},    {"optimizer", optimizer},       {"start", start},
                 {"seed", settings.seed}, {"evaluations", evaluations()}, {"commit", commit()}};
    const std::string told = fmt::format("{} from {} with {}", problem.workload.name, start, optimizer);
    jobs_.push_back(
        {.graph = std::move(record),
         .request = std::move(request),
         .length = static_cast<double>(problem.workload.operation_count()),
         .run = [&problem, optimizer, start, settings] { return searched(problem, optimizer, start, settings).json(); },
         .take = std::move(take),
         .told = [told](const Json&) { return told; }});
  }

  void add_calibration() {
    const Problem& problem = problems_.back();
    Json& place = calibrations_.emplace_back();
    GraphRecord record = graph_record(problem.workload);
    Json request{{"graph", record.id}, {"calibration", "advantage"}, {"seed", options_.seed}, {"commit", commit()}};
    jobs_.push_back({.graph = std::move(record),
                     .request = std::move(request),
                     .length = static_cast<double>(problem.workload.operation_count()) / 4,
                     .run = [&problem, this] { return calibration_of_policy(problem, kAdvantageForm, options_.seed); },
                     .take = [&place](const Json& outcome) { place = outcome; },
                     .told = [&problem](const Json&) { return problem.workload.name + ", calibration"; }});
  }

  /// Evaluations that searches as published need, over those that predictions need for the same: the lesser of what is
  /// saved against guided and against random search.
  static std::optional<double> skipped_ratio(const AdvantageContest& contest) {
    std::optional<double> least;
    for (const char* plain : {"published", "random"})
      if (const std::optional<double> needed = contest.samples_ratio("advantage", plain))
        least = std::min(least.value_or(std::numeric_limits<double>::infinity()), 1 / *needed);
    return least;
  }

  static Json ratio_json(const std::optional<double>& ratio) {
    if (!ratio) return nullptr;
    return std::isfinite(*ratio) ? Json(*ratio) : Json("never");
  }

  Json row_of(const AdvantageContest& contest) const {
    Json row{{"graph", contest.graph}, {"operations", contest.operations}, {"start", contest.start}};
    for (const auto& [name, curves] : contest.curves) row[name] = 100 * (1 - contest.value(name) / contest.priority);
    if (contest.start == kBestRule) return row;
    row["samples_ratio"] = ratio_json(contest.samples_ratio("advantage", "random"));
    row["published_ratio"] = ratio_json(contest.samples_ratio("published", "random"));
    row["quality_percent"] = contest.quality_percent("advantage", "random");
    row["skipped_ratio"] = ratio_json(skipped_ratio(contest));
    return row;
  }

  /// Figures that the case is judged by: the worst ratio and quality of all graphs and starts, means of the others.
  Json summary() const {
    double samples = 0, quality = std::numeric_limits<double>::infinity(), logarithms = 0, count = 0;
    std::map<std::string, double> over;
    std::vector<std::string> ours;
    for (const AdvantageRow& row : kAdvantageRows)
      if (row.is_ours) ours.push_back(row.name);
    for (const AdvantageContest& contest : contests_) {
      double& best = over[contest.graph];
      best = std::max(best, contest.over_priority_percent(ours));
      if (contest.start == kBestRule) continue;
      samples = std::max(samples, contest.samples_ratio("advantage", "random").value_or(0));
      quality = std::min(quality, contest.quality_percent("advantage", "random"));
      if (const std::optional<double> skipped = skipped_ratio(contest)) {
        logarithms += std::log(*skipped);
        ++count;
      }
    }
    double mean = 0, least = std::numeric_limits<double>::infinity();
    for (const auto& [graph, percent] : over) {
      mean += percent / static_cast<double>(over.size());
      least = std::min(least, percent);
    }
    return {{"samples_ratio", ratio_json(samples)},
            {"quality_percent", quality},
            {"over_priority_percent", mean},
            {"over_priority_least_percent", least},
            {"over_priority_by_graph", over},
            {"skipped_ratio", ratio_json(std::exp(logarithms / std::max(1.0, count)))},
            {"calibration", mean_calibration(calibrations_)}};
  }

  const BenchOptions& options_;
  Machine machine_;
  std::deque<Problem> problems_;  // they stay where they are
  std::deque<AdvantageContest> contests_;
  std::deque<Json> calibrations_;
  std::vector<BenchJob> jobs_;
};

BenchReport run_advantage_on(const std::vector<std::string>& zoo, const BenchOptions& options) {
  const std::vector<NamedGraph> graphs = graphs_of(zoo, options);
  if (graphs.empty()) fail_usage("no graph of the case is called '{}'", options.filter);
  return AdvantageRun(graphs, options).run();
}

const BenchRun advantage_case("advantage",
                              [](const BenchOptions& options) { return run_advantage_on(kTestGraphs, options); });
const BenchRun advantage_validation_case("advantage-validation", [](const BenchOptions& options) {
  return run_advantage_on(kValidationGraphs, options);
});

}  // namespace
}  // namespace hone
