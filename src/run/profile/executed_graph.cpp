#include "run/profile/executed_graph.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/child_process.h"
#include "base/interrupt.h"
#include "run/measure/pinning.h"
#include "run/verify/inputs.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kLookingShare = 0.7, kTimingShare = 0.9;  // of the time, after which no more models or rounds begin

ExecutedGraph executed(const GraphProfile& profile, const ProfileContext& context, const ProfileTable& timings) {
  ExecutedGraph graph{.kernels = {}, .untimed = 0, .frame_seconds = profile.frame_seconds};
  for (const ProfiledNode& node : profile.nodes) {
    const std::optional<NodeTiming> timing = timings.find(context, node.config);
    graph.untimed += timing ? 0 : 1;
    ExecutedKernels& kernels = graph.kernels_of(node.op, node.operation_class);
    ++kernels.count;
    kernels.seconds += timing ? timing->seconds : 0;
    kernels.activation_bytes += node.activation_bytes;
    kernels.weight_bytes += node.weight_bytes;
  }
  return graph;
}

Json executed_json(const ExecutedGraph& graph) {
  Json kernels = Json::array();
  for (const ExecutedKernels& each : graph.kernels)
    kernels.push_back({each.op, static_cast<int>(each.operation_class), each.count, each.seconds, each.activation_bytes,
                       each.weight_bytes});
  return {{"kernels", kernels}, {"untimed", graph.untimed}, {"frame", graph.frame_seconds}};
}

ExecutedGraph executed_in(const nlohmann::json& object) {
  ExecutedGraph graph{.kernels = {}, .untimed = object["untimed"], .frame_seconds = object["frame"]};
  for (const auto& each : object["kernels"])
    graph.kernels.push_back({.op = each[0],
                             .operation_class = static_cast<OperationClass>(each[1].get<int>()),
                             .count = each[2],
                             .seconds = each[3],
                             .activation_bytes = each[4],
                             .weight_bytes = each[5]});
  return graph;
}

/// All graphs that the runtime takes in one profiler.
class ExecutedProfile {
 public:
  ExecutedProfile(std::span<const ModelToRun> models, const ProfileRequest& request)
      : request_(request), context_(context_of(request)), host_(request.runtime->start(request.threads)) {
    for (const ModelToRun& model : models) places_.push_back(observe(model));
  }

  std::string text() {
    std::vector<GraphProfile> profiles;
    ProfileTable timings;
    if (profiler_) {
      time_rounds();
      profiles = profiler_->finish_all(timings);
    }
    Json graphs = Json::array(), records = Json::array();
    for (const std::optional<std::size_t>& place : places_)
      graphs.push_back(executed_json(place ? executed(profiles[*place], context_, timings) : ExecutedGraph()));
    for (const NodeTiming& record : timings.records()) records.push_back(json_of(record));
    return Json{{"graphs", graphs}, {"records", records}}.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

 private:
  /// Its place among the graphs of the profiler; none for a model that does not run, or for which there is no time.
  std::optional<std::size_t> observe(const ModelToRun& model) {
    if (interrupted() || watch_.stop().wall_seconds > kLookingShare * request_.effort.wall_limit) return std::nullopt;
    try {
      const ObservedGraph observed = observe_optimized(*host_, model, random_inputs(model.model, 0));
      if (profiler_) profiler_->add(observed);
      else profiler_.emplace(*host_, observed, context_, request_.known);
      return graphs_++;
    } catch (const InputError&) {
      return std::nullopt;
    }
  }

  void time_rounds() {
    const Stopwatch watch;
    const auto wanted = [&](std::size_t rounds) {
      if (rounds == 0) return true;
      const double used = watch.stop().wall_seconds;
      if (interrupted() || watch_.stop().wall_seconds > kTimingShare * request_.effort.wall_limit) return false;
      return rounds < request_.effort.least_rounds ||
             (rounds < request_.effort.most_rounds && used < request_.effort.seconds);
    };
    for (std::size_t rounds = 0; wanted(rounds); ++rounds) profiler_->round();
  }

  Stopwatch watch_;
  const ProfileRequest& request_;
  ProfileContext context_;
  std::unique_ptr<RuntimeHost> host_;
  std::optional<GraphProfiler> profiler_;
  std::size_t graphs_ = 0;
  std::vector<std::optional<std::size_t>> places_;  // by model
};

}  // namespace

ExecutedKernels& ExecutedGraph::kernels_of(const std::string& op, OperationClass operation_class) {
  const auto found = std::ranges::find(kernels, op, &ExecutedKernels::op);
  if (found != kernels.end()) return *found;
  return kernels.emplace_back(ExecutedKernels{.op = op, .operation_class = operation_class});
}

ExecutedGraphs executed_graphs(std::span<const ModelToRun> models, const ProfileRequest& request) {
  const auto all = nlohmann::json::parse(text_of_child(
      [&] {
        pin_process(request.threads);
        return ExecutedProfile(models, request).text();
      },
      request.effort.wall_limit));
  ExecutedGraphs found;
  for (const auto& graph : all["graphs"]) found.graphs.push_back(executed_in(graph));
  for (const auto& record : all["records"]) found.timings.add(node_timing(record, "child"));
  return found;
}

}  // namespace hone
