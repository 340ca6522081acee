#include "run/profile/model_profile.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/child_process.h"
#include "base/interrupt.h"
#include "run/measure/interleave.h"
#include "run/measure/pinning.h"
#include "run/measure/statistics.h"
#include "run/verify/inputs.h"
#include "run/verify/memory_need.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const ProfiledNode& node) {
  return {
      node.name,        node.op, node.config, static_cast<int>(node.operation_class), node.flops, node.activation_bytes,
      node.weight_bytes};
}

ProfiledNode node_of(const nlohmann::json& fields) {
  return {.name = fields[0],
          .op = fields[1],
          .config = fields[2],
          .operation_class = static_cast<OperationClass>(fields[3].get<int>()),
          .flops = fields[4],
          .activation_bytes = fields[5],
          .weight_bytes = fields[6]};
}

/// What the child hands over.
std::string text_of(const ModelProfile& profile) {
  Json nodes = Json::array(), records = Json::array();
  for (const ProfiledNode& node : profile.graph.nodes) nodes.push_back(json_of(node));
  for (const NodeTiming& record : profile.table.records()) records.push_back(hone::json_of(record));
  const Json all{{"nodes", nodes},
                 {"records", records},
                 {"untimed", profile.graph.untimed},
                 {"frame", profile.graph.frame_seconds},
                 {"measured", profile.measured_seconds},
                 {"rounds", profile.rounds}};
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

ModelProfile profile_of(const std::string& text, ProfileContext context) {
  const nlohmann::json all = nlohmann::json::parse(text);
  ModelProfile profile{.context = std::move(context), .measured_seconds = all["measured"], .rounds = all["rounds"]};
  for (const auto& fields : all["nodes"]) profile.graph.nodes.push_back(node_of(fields));
  for (const auto& record : all["records"]) profile.table.add(node_timing(record, "child"));
  profile.graph.untimed = all["untimed"];
  profile.graph.frame_seconds = all["frame"];
  return profile;
}

/// Rounds of the whole model and of all its nodes.
ModelProfile run_rounds(GraphProfiler& profiler, PreparedModel& whole, const ProfileEffort& effort) {
  ModelProfile profile{.context = profiler.context()};
  std::vector<Sample> samples;
  double used = 0;
  const auto wanted = [&] {
    if (samples.size() < effort.least_rounds || used < effort.seconds) return true;
    return samples.size() < effort.most_rounds && profiler.uncertainty() > effort.uncertainty;
  };
  while (wanted()) {
    const Stopwatch round;
    whole.run();  // so that the caches are as another inference leaves them
    const Stopwatch watch;
    whole.run();
    samples.push_back(watch.stop());
    profiler.round();
    used += round.stop().cpu_seconds;
  }
  profile.graph = profiler.finish(profile.table);
  profile.rounds = samples.size();
  profile.measured_seconds = median(undisturbed_seconds(evened(samples, profiler.slowness()),
                                                        profile.context.threads == 1 ? Clock::cpu : Clock::wall));
  return profile;
}

}  // namespace

ProfileContext context_of(const ProfileRequest& request) {
  return {.hardware = hardware_fingerprint(),
          .runtime = request.runtime->label(),
          .threads = request.runtime->threads_used(request.threads)};
}

ModelProfile profile_model(const Model& model, const std::filesystem::path& file, const ProfileRequest& request) {
  const ProfileContext context = context_of(request);
  require_memory(model);
  const std::string text = text_of_child([&] {
    pin_process(request.threads);
    const std::vector<Datum> inputs = random_inputs(model, 0);
    const std::unique_ptr<RuntimeHost> host = request.runtime->start(request.threads);
    const ModelToRun whole{model, file};
    const ObservedGraph observed = observe_optimized(*host, whole, inputs);
    GraphProfiler profiler(*host, observed, context, request.known);
    const std::unique_ptr<PreparedModel> prepared = host->prepare(whole, {});
    prepared->set_inputs(inputs);
    return text_of(run_rounds(profiler, *prepared, request.effort));
  });
  return profile_of(text, context);
}

ProfileTable time_nodes(const ObservedGraph& graph, const ProfileRequest& request) {
  const ProfileContext context = context_of(request);
  const ChildResult timed = run_in_child(
      [&] {
        pin_process(request.threads);
        const Stopwatch watch;
        const std::unique_ptr<RuntimeHost> host = request.runtime->start(request.threads);
        GraphProfiler profiler(*host, graph, context, request.known);
        ModelProfile profile{.context = context};
        const auto wanted = [&] {
          const double used = watch.stop().wall_seconds;
          if (profile.rounds > 0 && (interrupted() || used > request.effort.wall_limit / 2)) return false;
          return profile.rounds < request.effort.least_rounds ||
                 (profile.rounds < request.effort.most_rounds && used < request.effort.seconds);
        };
        while (wanted()) {
          profiler.round();
          ++profile.rounds;
        }
        profile.graph = profiler.finish(profile.table);
        return text_of(profile);
      },
      request.effort.wall_limit, OnInterrupt::tell_then_kill);
  if (!timed.succeeded() && interrupted()) return {};  // not one round was finished
  return profile_of(text_given(timed), context).table;
}

}  // namespace hone
