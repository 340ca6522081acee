#include <algorithm>
#include <cmath>

#include "base/child_process.h"
#include "base/random.h"
#include "bench/bench_run.h"
#include "bench/model_files.h"
#include "bench/native_ways.h"
#include "formats/onnx/read.h"
#include "graph/ops/infer.h"
#include "plan/machine/machine_file.h"
#include "plan/problem/plan_file.h"
#include "plan/simulate/simulator.h"
#include "plan/solve/solve.h"
#include "run/measure/statistics.h"
#include "run/profile/group_profile.h"
#include "run/verify/inputs.h"
#include "zoo/registry.h"

// Plans of kernels as the simulator sees them and as the executor runs them: how well the one orders what the other
// takes, what the best that is found gains over priority fusion, and what each thing that is decided is worth.

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kFusionPlans = 50, kQuickFusionPlans = 12;
constexpr double kBytesAtOnce = 4e9;           // of models in memory, about
constexpr const char* kTwoLanes = "native-2";  // the machine of two cores
constexpr std::uint64_t kPlansSearched = 3000;

/// What is looked at without --models: small, so that what lies between products and convolutions counts.
constexpr const char* kFusionModels[] = {
    "zoo:bert:layers=2,length=64,hidden=128,heads=4,feed_forward=256,vocabulary=1000",
    "zoo:gpt2:layers=2,length=64,hidden=128,heads=4,vocabulary=1000",
    "zoo:llama:layers=2,length=32,hidden=256,heads=8,kv_heads=2,feed_forward=512,vocabulary=1000",
    "zoo:mamba:layers=1,length=16,hidden=128,vocabulary=1000",
    "zoo:mobilenet-v2:resolution=96",
    "zoo:resnet18:resolution=64",
    "zoo:squeezenet:resolution=96"};

/// One way to have operators share kernels.
struct FusionPlan {
  std::string name;
  Plan plan;
  RuntimeOptions options = {};
  bool is_profiled = false;  // so that the simulator knows times of all its groups
  double simulated_seconds = 0;
  double over_priority = 1;  // measured time, priority fusion's being 1
};

/// A model whose plans are compared.
class FusionTrial {
 public:
  FusionTrial(Model model, const BenchOptions& options)
      : bench_(options),
        model_(std::move(model)),
        runtime_(RuntimeKind::named("native").make("")),
        problem_(problem_on(*runtime_, model_)),
        inputs_(given_inputs(model_, {}, options.seed)) {}

  Json run() {
    add("priority", ruled("fuse-priority"));
    add("none", ruled("fuse-none"));
    add("all", ruled("fuse-all"));
    profile();
    add("merging", ruled("fuse-merging"));
    add("search", ruled("fuse-priority+fuse-all+fuse-merging+local"));
    add_random((bench_.quick ? kQuickFusionPlans : kFusionPlans) - plans_.size());
    simulate();
    measure();
    return row();
  }

 private:
  SearchSettings settings() const {
    return {.budget = {.evaluations = kPlansSearched}, .seed = bench_.seed, .show_progress = false};
  }
  Plan ruled(std::string_view optimizer) const { return solve(problem_, "fuse-edges", optimizer, settings()).plan; }

  void add(const std::string& name, Plan plan) {
    plans_.push_back({.name = name, .plan = std::move(plan)});
    plans_.back().options = options_by(problem_.machine, plans_.back().plan);
  }

  RuntimeOptions options_by(const Machine& machine, const Plan& plan) const {
    const std::filesystem::path file = folder_.path() / "plan.json";
    save_plan(file, problem_.workload, machine, plan);
    return runtime_->by_plan(model_, file, {});
  }

  /// From nearly nothing to nearly everything that may be together.
  void add_random(std::size_t count) {
    const Plan alone = undecided_plan(problem_);
    const std::unique_ptr<Task> task = make_task(problem_, "fuse-edges", alone);
    Rng rng(bench_.seed + 1);
    for (std::size_t i = 0; i < count; ++i) {
      const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
      Decisions keys(task->sites().size());
      for (float& key : keys)
        key = static_cast<float>(rng.uniform(0, 1) < share ? rng.uniform(1.0 / 3, 1) : rng.uniform(0, 1.0 / 3));
      Plan plan = alone;
      task->apply(keys, plan);
      add("random " + std::to_string(i), std::move(plan));
    }
  }

  /// Times of the groups of the plans there are, which replace estimates from now on.
  void profile() {
    auto times = std::make_shared<KernelTimes>();
    for (FusionPlan& each : plans_) {
      const auto profiled = profile_groups(*runtime_, model_, {.options = each.options, .inputs = inputs_});
      if (!profiled) continue;
      add_times(*profiled, *times);
      each.is_profiled = true;
    }
    for (DeviceKind& kind : problem_.machine.kinds) kind.kernel_times = times;
  }

  void simulate() {
    Simulator simulator(std::make_shared<SimulatorTables>(problem_.workload, problem_.machine));
    for (FusionPlan& each : plans_) each.simulated_seconds = simulator.evaluate(each.plan).seconds;
  }

  WaysTimed timed(const std::vector<NativeWay>& ways, double seconds) const {
    return time_ways({.model = model_, .inputs = inputs_, .seed = bench_.seed}, ways,
                     bench_.quick ? seconds / 5 : seconds);
  }

  /// Beside priority fusion, which all are timed against: as many as fit, as no two processes are alike.
  std::size_t plans_at_once() const {
    double weights = 1e6;
    for (std::size_t i = 0; i < problem_.workload.buffer_count(); ++i)
      if (const Buffer& buffer = problem_.workload.buffer(BufferId(i)); buffer.kind == Buffer::Kind::weight)
        weights += 4 * buffer.bytes;  // Winograd's are larger than what they are made of
    return std::clamp<std::size_t>(static_cast<std::size_t>(kBytesAtOnce / weights), 4, kFusionPlans);
  }

  void measure() {
    for (std::size_t first = 1; first < plans_.size(); first += plans_at_once()) {
      const std::size_t last = std::min(first + plans_at_once(), plans_.size());
      std::vector<NativeWay> ways{{.options = plans_[0].options}};
      for (std::size_t i = first; i < last; ++i) ways.push_back({.options = plans_[i].options});
      const WaysTimed found = timed(ways, 0.5);
      priority_seconds_.push_back(found.first_seconds);
      for (std::size_t i = first; i < last; ++i) plans_[i].over_priority = found.over_first[i - first].ratio;
    }
  }

  Json row() const {
    const double priority = median(priority_seconds_);
    std::vector<double> simulated, measured, errors;
    for (const FusionPlan& each : plans_) {
      if (each.is_profiled) continue;  // nothing about it is predicted
      simulated.push_back(each.simulated_seconds);
      measured.push_back(each.over_priority * priority);
      errors.push_back(std::fabs(simulated.back() / measured.back() - 1));
    }
    const auto best = std::ranges::min_element(plans_, {}, &FusionPlan::over_priority);
    const RatioEstimate gain = timed({{.options = plans_[0].options}, {.options = best->options}}, 3).over_first[0];
    Json row{{"model", model_.source},
             {"operations", problem_.workload.operation_count()},
             {"plans", plans_.size()},
             {"rank_correlation", rank_correlation(simulated, measured)},
             {"prediction_error", median(errors)},
             {"priority_ms", priority * 1e3},
             {"slowest_over_priority", std::ranges::max(plans_, {}, &FusionPlan::over_priority).over_priority},
             {"best", best->name},
             {"best_over_priority", gain.speedup()},
             {"low", 1 / gain.high},
             {"high", 1 / gain.low}};
    row.update(worth_of_levers());
    return row;
  }

  /// How much slower the model is with one of them changed, everything else being as usual.
  Json worth_of_levers() const {
    const std::vector<std::pair<std::string, NativeWay>> without{
        {"fusion", {.parameters = "groups=none"}},
        {"epilogues", {.parameters = "epilogues=apart"}},
        {"joining", {.parameters = "joining=copied"}},
        {"blocks_over_channels_last", {.parameters = "layout=blocks"}},
        {"order_of_least_memory", {.options = options_by(problem_.machine, reordered())}}};
    std::vector<NativeWay> ways{{.parameters = ""}};
    for (const auto& [lever, way] : without) ways.push_back(way);
    ways.push_back({.parameters = "layout=channels-last"});
    const WaysTimed found = timed(ways, 1);
    Json worth = Json::object();
    for (std::size_t i = 0; i < without.size(); ++i) worth[without[i].first] = found.over_first[i].ratio;
    worth["blocks_over_channels_last"] =
        found.over_first.back().ratio / worth["blocks_over_channels_last"].get<double>();
    const WaysTimed lanes = timed({{.threads = 1}, {.options = on_two_lanes(), .threads = 2}}, 1);
    worth["two_lanes"] = lanes.over_first[0].speedup();
    return worth;
  }

  Plan usual_plan() const {
    return parse_plan(runtime_->plan_of(model_, {}), "plan", problem_.workload, problem_.machine);
  }
  Plan reordered() const {
    Problem problem = problem_;
    problem.objective = Objective::peak_bytes;
    return Solver(problem, "schedule", usual_plan()).solve(*make_optimizer("local"), settings()).plan;
  }
  RuntimeOptions on_two_lanes() const {
    Problem problem = problem_;
    problem.machine = load_machine(kTwoLanes);
    problem.machine.kinds[0].kernel_times = problem_.machine.kinds[0].kernel_times;
    const Plan start = usual_plan();
    return options_by(problem.machine,
                      Solver(problem, "place,schedule", start).solve(*make_optimizer("local"), settings()).plan);
  }

  const BenchOptions& bench_;
  Model model_;
  std::shared_ptr<const Runtime> runtime_;
  Problem problem_;
  std::vector<Datum> inputs_;
  TemporaryFolder folder_;
  std::vector<FusionPlan> plans_;  // priority fusion first
  std::vector<double> priority_seconds_;
};

Json fusion_row(Model model, const BenchOptions& options) {
  infer_types(model);
  return FusionTrial(std::move(model), options).run();
}

BenchReport run_native_fusion(const BenchOptions& options) {
  BenchReport report;
  if (!options.models.empty())
    for (const auto& file : model_files(options)) report.rows.push_back(fusion_row(onnx::read(file), options));
  else
    for (const char* name : kFusionModels)
      if (std::string_view(name).find(options.filter) != std::string_view::npos)
        report.rows.push_back(fusion_row(build_zoo(name), options));
  std::vector<double> correlations, errors, gains;
  for (const auto& row : report.rows) {
    correlations.push_back(row["rank_correlation"]);
    errors.push_back(row["prediction_error"]);
    gains.push_back(std::log(row["best_over_priority"].get<double>()));
  }
  if (report.rows.empty()) fail_usage("no model is left");
  double sum = 0;
  for (const double gain : gains) sum += gain;
  report.summary = {{"models", report.rows.size()},
                    {"least_rank_correlation", std::ranges::min(correlations)},
                    {"median_rank_correlation", median(correlations)},
                    {"median_prediction_error", median(errors)},
                    {"best_over_priority", std::exp(sum / static_cast<double>(gains.size()))}};
  return report;
}

const BenchRun native_fusion("native-fusion", run_native_fusion);

}  // namespace
}  // namespace hone
