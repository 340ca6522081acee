#include "store/records/profile_records.h"

#include "store/records/circumstances.h"

namespace hone {
namespace {

constexpr const char* kHere = "WHERE hardware = $1 AND software = $2 ORDER BY created_seconds, id";

std::optional<MeasuredGraph> measured_graph(const MeasurementRecord& record) {
  const auto features = record.detail.find("features");
  if (features == record.detail.end()) return std::nullopt;
  MeasuredGraph graph{.features = {}, .seconds = record.median_seconds};
  const auto shares = features->value("shares", std::vector<double>{});
  if (shares.size() != GraphFeatures::kCount) return std::nullopt;  // of a hone that looked at other things
  graph.features.sum_seconds = features->value("sum_seconds", 0.0);
  std::ranges::copy(shares, graph.features.shares.begin());
  return graph.features.sum_seconds > 0 && graph.seconds > 0 ? std::optional(graph) : std::nullopt;
}

ProfileRecord profile_record(const NodeTiming& timing, const std::string& hardware, const std::string& software) {
  return {.operation = timing.config,
          .hardware = hardware,
          .software = software,
          .median_seconds = timing.seconds,
          .detail = {{"p10", timing.p10}, {"p90", timing.p90}, {"samples", timing.samples}}};
}

}  // namespace

ProfileTable stored_profiles(Store& store, const ProfileContext& context) {
  const SoftwareRecord software = runtime_software(context.runtime, context.threads);
  ProfileTable table;
  for (const ProfileRecord& record : store.select<ProfileRecord>(kHere, {this_hardware().id, software.id}))
    table.add({.context = context,
               .config = record.operation,
               .seconds = record.median_seconds,
               .p10 = record.detail.value("p10", record.median_seconds),
               .p90 = record.detail.value("p90", record.median_seconds),
               .samples = record.detail.value("samples", std::size_t{1})});
  return table;
}

std::vector<MeasuredGraph> stored_graphs(Store& store, const ProfileContext& context, const Model& except) {
  const SoftwareRecord software = runtime_software(context.runtime, context.threads);
  const std::string own = graph_record("", except).id;
  std::map<std::string, MeasuredGraph> newest;
  for (const MeasurementRecord& record : store.select<MeasurementRecord>(kHere, {this_hardware().id, software.id}))
    if (const auto graph = measured_graph(record); graph && record.graph != own) newest[record.graph] = *graph;
  std::vector<MeasuredGraph> graphs;
  for (const auto& [id, graph] : newest) graphs.push_back(graph);
  return graphs;
}

void record_profile(Store& store, const std::string& name, const Model& model, const ModelProfile& profile,
                    const ProfileTable& known) {
  const Provenance provenance{graph_record(name, model), this_hardware(),
                              runtime_software(profile.context.runtime, profile.context.threads)};
  const GraphFeatures features = features_of(profile.graph, profile.context, profile.table);
  store.write([&](Writer& writer) {
    writer.add(provenance);
    for (const NodeTiming& timing : profile.table.records()) {
      if (known.find(profile.context, timing.config)) continue;
      writer.add(profile_record(timing, provenance.hardware.id, provenance.software.id));
    }
    writer.add(MeasurementRecord{
        .graph = provenance.graph.id,
        .hardware = provenance.hardware.id,
        .software = provenance.software.id,
        .median_seconds = profile.measured_seconds,
        .detail = {{"name", name},
                   {"rounds", profile.rounds},
                   {"features", {{"sum_seconds", features.sum_seconds}, {"shares", features.shares}}}}});
  });
}

void record_timings(Store& store, const GraphRecord& graph, const ProfileTable& timings) {
  store.write([&](Writer& writer) {
    for (const NodeTiming& timing : timings.records()) {
      const Provenance provenance{graph, this_hardware(),
                                  runtime_software(timing.context.runtime, timing.context.threads)};
      writer.add(provenance);
      writer.add(profile_record(timing, provenance.hardware.id, provenance.software.id));
    }
  });
}

}  // namespace hone
