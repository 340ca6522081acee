#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

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
#include "run/profile/measured_groups.h"
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
constexpr std::size_t kMeasurements = 2;  // of all plans, which know nothing of one another
constexpr double kSecondsAPlan = 0.6;     // in each of them
constexpr std::size_t kGroupRuns = 40;

/// What is looked at without --models: small, so that what lies between products and convolutions counts.
constexpr const char* kFusionModels[] = {
    "zoo:bert:layers=2,length=64,hidden=128,heads=4,feed_forward=256,vocabulary=1000",
    "zoo:gpt2:layers=2,length=64,hidden=128,heads=4,vocabulary=1000",
    "zoo:graphnets:nodes=64,edges=256,hidden=64,rounds=3",
    "zoo:llama:layers=2,length=32,hidden=256,heads=8,kv_heads=2,feed_forward=512,vocabulary=1000",
    "zoo:mamba:layers=1,length=16,hidden=128,vocabulary=1000",
    "zoo:mobilenet-v2:resolution=96",
    "zoo:nasrnn:length=6,layers=1,hidden=128,vocabulary=1000",
    "zoo:squeezenet:resolution=96"};

/// One way to have operators share kernels.
struct FusionPlan {
  std::string name;
  Plan plan;
  RuntimeOptions options = {};
  bool is_profiled = false;                           // one of the few whose groups `estimated_seconds` goes by
  double simulated_seconds = 0;                       // by times of all groups
  double summed_seconds = 0;                          // over groups, each by itself
  double estimated_seconds = 0;                       // by times of the groups of the profiled plans alone
  std::array<double, kMeasurements> over_priority{};  // measured time, priority fusion's being 1

  double measured() const { return std::accumulate(over_priority.begin(), over_priority.end(), 0.0) / kMeasurements; }
};

/// A model whose plans are compared.
class FusionTrial {
 public:
  FusionTrial(Model model, const BenchOptions& options)
      : bench_(options),
        model_(std::move(model)),
        runtime_(RuntimeKind::named("native").make("")),
        inputs_(given_inputs(model_, {}, options.seed)),
        groups_(runtime_, model_, {.inputs = inputs_, .options = {}, .runs = kGroupRuns}),
        problem_(groups_.problem()) {}

  Json run() {
    add("priority", ruled("fuse-priority"));
    add("none", ruled("fuse-none"));
    add("all", ruled("fuse-all"));
    for (FusionPlan& each : plans_) each.is_profiled = true;
    give_times();
    add("merging", ruled("fuse-merging"));
    add("search", ruled("fuse-priority+fuse-all+fuse-merging+local"));
    add_random((bench_.quick ? kQuickFusionPlans : kFusionPlans) - plans_.size());
    simulate(&FusionPlan::estimated_seconds);
    give_times();
    simulate(&FusionPlan::simulated_seconds);
    for (FusionPlan& each : plans_) each.summed_seconds = groups_.seconds(each.plan);
    for (std::size_t i = 0; i < kMeasurements; ++i) measure(i);
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
  void give_times() {
    std::vector<Plan> plans;
    for (const FusionPlan& each : plans_) plans.push_back(each.plan);
    const auto times = groups_.kernel_times(plans);
    for (DeviceKind& kind : problem_.machine.kinds) kind.kernel_times = times;
  }

  void simulate(double FusionPlan::*seconds) {
    Simulator simulator(std::make_shared<SimulatorTables>(problem_.workload, problem_.machine));
    for (FusionPlan& each : plans_) each.*seconds = simulator.evaluate(each.plan).seconds;
  }

  WaysTimed timed(const std::vector<NativeWay>& ways, double seconds, std::size_t measurement = 0) const {
    return time_ways({.model = model_, .inputs = inputs_, .seed = bench_.seed + measurement}, ways,
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

  void measure(std::size_t measurement) {
    plans_[0].over_priority[measurement] = 1;
    for (std::size_t first = 1; first < plans_.size(); first += plans_at_once()) {
      const std::size_t last = std::min(first + plans_at_once(), plans_.size());
      std::vector<NativeWay> ways{{.options = plans_[0].options}};
      for (std::size_t i = first; i < last; ++i) ways.push_back({.options = plans_[i].options});
      const WaysTimed found = timed(ways, kSecondsAPlan, measurement);
      priority_seconds_.push_back(found.first_seconds);
      for (std::size_t i = first; i < last; ++i)
        plans_[i].over_priority[measurement] = found.over_first[i - first].ratio;
    }
  }

  template <class Value>
  std::vector<double> of_plans(const Value& value) const {
    std::vector<double> values;
    for (const FusionPlan& each : plans_) values.push_back(value(each));
    return values;
  }

  /// Of plans that were not profiled: of the others nothing is estimated.
  double estimated_correlation() const {
    std::vector<double> estimated, measured;
    for (const FusionPlan& each : plans_) {
      if (each.is_profiled) continue;
      estimated.push_back(each.estimated_seconds);
      measured.push_back(each.measured());
    }
    return rank_correlation(estimated, measured);
  }

  Json row() const {
    const double priority = median(priority_seconds_);
    const std::vector<double> measured = of_plans([](const FusionPlan& each) { return each.measured(); });
    const std::vector<double> simulated = of_plans([](const FusionPlan& each) { return each.simulated_seconds; });
    const std::vector<double> errors = of_plans(
        [&](const FusionPlan& each) { return std::fabs(each.simulated_seconds / (each.measured() * priority) - 1); });
    const auto best = plans_.begin() + (std::ranges::min_element(measured) - measured.begin());
    const RatioEstimate gain = timed({{.options = plans_[0].options}, {.options = best->options}}, 3).over_first[0];
    Json row{{"model", model_.source},
             {"operations", problem_.workload.operation_count()},
             {"plans", plans_.size()},
             {"rank_correlation", rank_correlation(simulated, measured)},
             {"agreement", rank_correlation(of_plans([](const FusionPlan& each) { return each.over_priority[0]; }),
                                            of_plans([](const FusionPlan& each) { return each.over_priority[1]; }))},
             {"estimated_correlation", estimated_correlation()},
             {"prediction_error", median(errors)},
             {"priority_ms", priority * 1e3},
             {"fastest_over_priority", best->measured()},
             {"slowest_over_priority", std::ranges::max(measured)},
             {"best", best->name},
             {"best_over_priority", gain.speedup()},
             {"low", 1 / gain.high},
             {"high", 1 / gain.low}};
    row.update(worth_of_levers());
    row["each"] = rows_of_plans();
    return row;
  }

  /// What became of every plan, so that others can look at it in other ways.
  Json rows_of_plans() const {
    Json each = Json::array();
    for (const FusionPlan& plan : plans_)
      each.push_back(Json{{"plan", plan.name},
                          {"groups", plan.plan.group_count()},
                          {"simulated_ms", plan.simulated_seconds * 1e3},
                          {"summed_ms", plan.summed_seconds * 1e3},
                          {"estimated_ms", plan.estimated_seconds * 1e3},
                          {"over_priority", plan.over_priority}});
    return each;
  }

  /// How much slower the model is with one of them changed, everything else being as usual.
  Json worth_of_levers() const {
    const std::vector<std::pair<std::string, NativeWay>> without{
        {"fusion", {.parameters = "groups=none"}},
        {"epilogues", {.parameters = "epilogues=apart"}},
        {"prologues", {.parameters = "prologues=apart"}},
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
  std::vector<Datum> inputs_;
  MeasuredGroups groups_;
  Problem problem_;  // with times of groups as they become known
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
                    {"at_least_0.8", std::ranges::count_if(correlations, [](double each) { return each >= 0.8; })},
                    {"least_rank_correlation", std::ranges::min(correlations)},
                    {"median_rank_correlation", median(correlations)},
                    {"median_prediction_error", median(errors)},
                    {"best_over_priority", std::exp(sum / static_cast<double>(gains.size()))}};
  return report;
}

const BenchRun native_fusion("native-fusion", run_native_fusion);

}  // namespace
}  // namespace hone
