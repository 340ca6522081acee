#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/child_process.h"
#include "base/interrupt.h"
#include "plan/problem/group_kernels.h"
#include "plan/problem/plan_file.h"
#include "run/measure/pinning.h"
#include "run/profile/executed_graph.h"
#include "run/profile/group_content.h"
#include "run/profile/group_profile.h"
#include "run/profile/group_records.h"
#include "run/verify/inputs.h"

namespace hone {
namespace {

constexpr std::size_t kFewestRuns = 3, kMostRuns = 25;
constexpr double kRunSeconds = 0.15;  // of timed runs of a model, about
constexpr double kLeastAnchor = 0.2;  // share of a model's time in known groups that tells how slow the machine is

/// A model as a plan of the runtime cuts it into groups.
struct GroupedModel {
  Model made_ready;
  Problem problem;
  Plan plan;
  std::vector<std::uint64_t> keys;  // by group
};

GroupedModel grouped_model(const Runtime& runtime, const Model& model) {
  GroupedModel grouped{.made_ready = runtime.start(1)->optimized({model, {}}),
                       .problem = problem_on(runtime, model),
                       .plan = {},
                       .keys = {}};
  const Workload& workload = grouped.problem.workload;
  grouped.plan = parse_plan(runtime.plan_of(model, {}), "plan", workload, grouped.problem.machine);
  const GroupContent content(grouped.made_ready, workload);
  for_each_kernel(workload, grouped.plan, [&](const GroupContents&, GroupId, const KernelView& kernel) {
    grouped.keys.push_back(content.key(kernel));
  });
  return grouped;
}

/// The operation of a group that has the most to compute.
const Operation& main_operation(const Workload& workload, std::span<const OperationId> instances) {
  return workload.operation(
      *std::ranges::max_element(instances, {}, [&](OperationId id) { return workload.operation(id).flops; }));
}

class GroupTimes {
 public:
  explicit GroupTimes(const ProfileRequest& request)
      : request_(request), context_(group_conditions(*request.runtime, request.threads)) {
    for (const NodeTiming& timing : request.known.records())
      if (const auto key = group_key_in(timing.config); key && timing.context == context_)
        seconds_[*key] = timing.seconds;
  }

  ExecutedGraph executed(const Model& model) {
    const GroupedModel grouped = grouped_model(*request_.runtime, model);
    const bool known = std::ranges::all_of(grouped.keys, [&](std::uint64_t key) { return seconds_.contains(key); });
    if (!known) keep(grouped, time(model));
    return summed(grouped);
  }

  const ProfileTable& timings() const { return timings_; }

 private:
  std::vector<double> time(const Model& model) const {
    const std::string text = text_of_child([&] {
      pin_process(request_.threads);
      const auto host = request_.runtime->start(request_.threads);
      const std::vector<Datum> inputs = random_inputs(model, 0);
      const RuntimeOptions options;
      const auto once = [&](std::size_t runs) {
        return host->time_groups({model, {}}, {&options, 1}, inputs, runs).at(0);
      };
      double seconds = 0;
      for (const double each : once(1)) seconds += each;
      const double runs = kRunSeconds / std::max(seconds, 1e-6);
      return nlohmann::json(once(static_cast<std::size_t>(std::clamp<double>(runs, kFewestRuns, kMostRuns)))).dump();
    });
    return nlohmann::json::parse(text).get<std::vector<double>>();
  }

  /// Those groups that were not known; of what occurs several times the mean.
  void keep(const GroupedModel& grouped, const std::vector<double>& times) {
    if (times.size() != grouped.keys.size()) fail("{} times groups of another plan", request_.runtime->title());
    double now = 0, before = 0, all = 0;
    std::unordered_map<std::uint64_t, std::pair<double, double>> found;  // sum and number
    for (std::size_t i = 0; i < times.size(); ++i) {
      all += times[i];
      if (const auto known = seconds_.find(grouped.keys[i]); known != seconds_.end()) {
        now += times[i];
        before += known->second;
      } else {
        found[grouped.keys[i]].first += times[i];
        found[grouped.keys[i]].second += 1;
      }
    }
    const double slowness = now > kLeastAnchor * all && before > 0 ? now / before : 1;
    const GroupContents contents(grouped.problem.workload, grouped.plan);
    for (std::size_t i = 0; i < times.size(); ++i) {
      const auto each = found.find(grouped.keys[i]);
      if (each == found.end()) continue;
      const double mean = each->second.first / each->second.second / slowness;
      if (seconds_.try_emplace(grouped.keys[i], mean).second)
        timings_.add({.context = context_,
                      .config = group_config(grouped.keys[i], contents.text(GroupId(i))),
                      .seconds = mean,
                      .p10 = mean,
                      .p90 = mean,
                      .samples = kFewestRuns});
    }
  }

  ExecutedGraph summed(const GroupedModel& grouped) const {
    const Workload& workload = grouped.problem.workload;
    const GroupContents contents(workload, grouped.plan);
    ExecutedGraph graph;
    for (std::size_t i = 0; i < grouped.keys.size(); ++i) {
      const Operation& main = main_operation(workload, contents.instances(GroupId(i)));
      ExecutedKernels& kernels = graph.kernels_of(main.op, main.operation_class);
      ++kernels.count;
      kernels.seconds += seconds_.at(grouped.keys[i]);
      const auto count_bytes = [&](BufferId id) {
        const Buffer& buffer = workload.buffer(id);
        (buffer.kind == Buffer::Kind::weight ? kernels.weight_bytes : kernels.activation_bytes) += buffer.bytes;
      };
      std::ranges::for_each(contents.reads(GroupId(i)), count_bytes);
      std::ranges::for_each(contents.stores(GroupId(i)), count_bytes);
    }
    return graph;
  }

  const ProfileRequest& request_;
  ProfileContext context_;
  ProfileTable timings_;
  std::unordered_map<std::uint64_t, double> seconds_;
};

}  // namespace

ExecutedGraphs executed_groups(std::span<const ModelToRun> models, const ProfileRequest& request) {
  const Stopwatch watch;
  GroupTimes times(request);
  ExecutedGraphs found;
  for (const ModelToRun& model : models) {
    ExecutedGraph& graph = found.graphs.emplace_back();
    if (interrupted() || watch.stop().wall_seconds > request.effort.wall_limit) continue;
    try {
      graph = times.executed(model.model);
    } catch (const InputError&) {
      continue;  // what does not run has no kernels
    }
  }
  found.timings = times.timings();
  return found;
}

}  // namespace hone
