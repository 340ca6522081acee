#include <algorithm>
#include <cmath>

#include "base/child_process.h"
#include "bench/advantage_results.h"
#include "bench/bench_run.h"
#include "bench/model_files.h"
#include "bench/native_ways.h"
#include "formats/onnx/read.h"
#include "graph/ops/infer.h"
#include "learn/advantage/decision_units.h"
#include "plan/problem/plan_file.h"
#include "plan/search/optimizer.h"
#include "plan/solve/solve.h"
#include "run/profile/group_records.h"
#include "run/profile/measured_cost.h"
#include "run/verify/inputs.h"
#include "store/records/profile_records.h"
#include "zoo/registry.h"

// What shares a kernel, searched by learned advantages where plans are judged by times of groups that were measured on
// hone's own executor. The policy was trained with the simulator on other families and another machine, so that what it
// knows of this one it learns while it searches. The best plan found is raced against priority fusion as a whole.

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

struct MeasuredRow {
  std::string name, optimizer;
};
const std::vector<MeasuredRow> kMeasuredRows = {
    {"random", "advantage:policy=none"}, {"guided", "advantage:flips=single"}, {"advantage", "advantage"}};
/// What is looked at without --models.
constexpr const char* kMeasuredModel = "zoo:squeezenet:resolution=64";
constexpr double kRaceSeconds = 4;

/// Times of groups of another time, with --db: the same searches then measure nothing again, and a run that was killed
/// goes on with what it had measured.
class StoredTimes {
 public:
  explicit StoredTimes(const std::string& url) {
    if (!url.empty()) store_.emplace(url);
  }

  ProfileTable of(const ProfileContext& context) { return store_ ? stored_profiles(*store_, context) : ProfileTable(); }
  /// Those of a table that were not in it before.
  void add(const GraphRecord& graph, const ProfileTable& timings) {
    if (!store_) return;
    ProfileTable fresh;
    for (const NodeTiming& timing : timings.records())
      if (!kept_.find(timing.context, timing.config)) fresh.add(timing);
    record_timings(*store_, graph, fresh);
    kept_ = timings;
  }

 private:
  std::optional<Store> store_;
  ProfileTable kept_;
};

/// A model whose plans are judged by measuring.
class MeasuredTrial {
 public:
  MeasuredTrial(Model model, const BenchOptions& options)
      : bench_(options),
        model_(std::move(model)),
        runtime_(RuntimeKind::named("native").make("")),
        inputs_(given_inputs(model_, {}, options.seed)),
        known_(options.store),
        groups_(std::make_shared<MeasuredGroups>(runtime_, model_, GroupMeasuring{.inputs = inputs_},
                                                 known_.of(group_conditions(*runtime_, 1)))),
        priority_(rule("fuse-priority")) {}

  Json run() {
    contest_.priority = groups_->seconds(priority_);
    for (const MeasuredRow& row : kMeasuredRows)
      for (std::uint64_t repeat = 0; repeat < (bench_.quick ? 1 : 3); ++repeat)
        contest_.curves[row.name].push_back(searched(row, bench_.seed + repeat));
    const RatioEstimate race = raced();
    const SlowGroups slow = slow_groups();
    return {{"model", model_.source},
            {"operations", groups_->problem().workload.operation_count()},
            {"priority_ms", contest_.priority * 1e3},
            {"random_percent", gain("random")},
            {"guided_percent", gain("guided")},
            {"advantage_percent", gain("advantage")},
            {"samples_ratio", ratio("advantage", "random")},
            {"guided_ratio", ratio("guided", "random")},
            {"raced_percent", 100 * (race.speedup() - 1)},
            {"low", 100 * (1 / race.high - 1)},
            {"high", 100 * (1 / race.low - 1)},
            {"groups", best_plan_.group_count()},
            {"slower_than_unfused", slow.count},
            {"better_unfused", slow.better_undone},
            {"plans_run", groups_->plans_run()}};
  }

 private:
  Plan rule(std::string_view optimizer) const {
    return solve(groups_->problem(), "fuse-edges", optimizer, {.budget = {.evaluations = 2}, .show_progress = false})
        .plan;
  }
  double gain(const std::string& name) const { return 100 * (1 - contest_.value(name) / contest_.priority); }
  Json ratio(const std::string& fast, const std::string& slow) const {
    const std::optional<double> found = contest_.samples_ratio(fast, slow);
    if (!found) return nullptr;
    return std::isfinite(*found) ? Json(*found) : Json("never");
  }

  AdvantageCurve searched(const MeasuredRow& row, std::uint64_t seed) {
    const Problem& problem = groups_->problem();
    const std::unique_ptr<Task> task = make_task(problem, "fuse-edges", priority_);
    const MeasuredCost cost(groups_);
    Search search(problem, *task, cost, priority_,
                  {.budget = {.evaluations = bench_.quick ? 30U : 500U}, .seed = seed, .show_progress = false});
    make_optimizer(row.optimizer)->run(search);
    const Solution found = search.finish();
    known_.add(graph_record(model_.source, model_), groups_->records());
    if (row.name == "advantage" && (best_plan_.device_of.empty() || found.score.value < best_seconds_)) {
      best_plan_ = found.plan;
      best_seconds_ = found.score.value;
    }
    AdvantageCurve curve;
    for (const Solution::Point& point : found.curve) curve.points.push_back({point.evaluations, point.score.value});
    return curve;
  }

  RuntimeOptions options_by(const Plan& plan) const {
    const std::filesystem::path file = folder_.path() / "plan.json";
    save_plan(file, groups_->problem().workload, groups_->problem().machine, plan);
    return runtime_->by_plan(model_, file, {});
  }

  RatioEstimate raced() const {
    const std::vector<NativeWay> ways{{.options = options_by(priority_)}, {.options = options_by(best_plan_)}};
    return time_ways({.model = model_, .inputs = inputs_, .seed = bench_.seed}, ways,
                     bench_.quick ? kRaceSeconds / 8 : kRaceSeconds)
        .over_first[0];
  }

  /// Groups of the best plan that take longer than their operations by themselves, and of these how many would make
  /// the plan faster if they were undone: what one group computes for itself others may compute too.
  struct SlowGroups {
    std::size_t count = 0, better_undone = 0;
  };
  SlowGroups slow_groups() const {
    const Workload& workload = groups_->problem().workload;
    const std::vector<double> alone = groups_->group_seconds(undecided_plan(groups_->problem()));
    const std::vector<double> fused = groups_->group_seconds(best_plan_);
    const GroupContents contents(workload, best_plan_);
    SlowGroups slow;
    for (std::size_t i = 0; i < fused.size(); ++i) {
      double sum = 0;
      for (const OperationId each : contents.instances(GroupId(i))) sum += alone[each.index()];
      if (contents.instances(GroupId(i)).size() == 1 || fused[i] <= sum) continue;
      ++slow.count;
      if (groups_->seconds(without(contents.instances(GroupId(i)))) < best_seconds_) ++slow.better_undone;
    }
    return slow;
  }

  /// The best plan with some operations that share a group taken apart.
  Plan without(std::span<const OperationId> group) const {
    const std::unique_ptr<Task> task = make_task(groups_->problem(), "fuse-edges", priority_);
    const DecisionUnits units(groups_->problem(), *task);
    Decisions row = task->encode(best_plan_);
    for (const std::uint32_t unit : units.within(group)) units.set(row, unit, 0);
    Plan plan = best_plan_;
    task->apply(row, plan);
    return plan;
  }

  const BenchOptions& bench_;
  Model model_;
  std::shared_ptr<const Runtime> runtime_;
  std::vector<Datum> inputs_;
  StoredTimes known_;
  std::shared_ptr<MeasuredGroups> groups_;
  Plan priority_, best_plan_;
  double best_seconds_ = 0;
  AdvantageContest contest_;
  TemporaryFolder folder_;
};

Json measured_row(Model model, const BenchOptions& options) {
  infer_types(model);
  return MeasuredTrial(std::move(model), options).run();
}

BenchReport run_advantage_native(const BenchOptions& options) {
  BenchReport report;
  if (options.models.empty()) report.rows.push_back(measured_row(build_zoo(kMeasuredModel), options));
  else
    for (const auto& file : model_files(options)) report.rows.push_back(measured_row(onnx::read(file), options));
  double logarithms = 0, samples = 0, slower = 0;
  for (const Json& row : report.rows) {
    logarithms += std::log1p(row["raced_percent"].get<double>() / 100) / static_cast<double>(report.rows.size());
    if (row["samples_ratio"].is_string()) samples = std::numeric_limits<double>::infinity();
    else if (row["samples_ratio"].is_number()) samples = std::max(samples, row["samples_ratio"].get<double>());
    slower += row["slower_than_unfused"].get<double>();
  }
  report.summary = {{"models", report.rows.size()},
                    {"over_priority_percent", 100 * std::expm1(logarithms)},
                    {"samples_ratio", std::isfinite(samples) ? Json(samples) : Json("never")},
                    {"slower_than_unfused", slower}};
  return report;
}

const BenchRun advantage_native("advantage-native", run_advantage_native);

}  // namespace
}  // namespace hone
