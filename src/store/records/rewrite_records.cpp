#include "store/records/rewrite_records.h"

#include <optional>

#include "store/records/circumstances.h"

namespace hone {
namespace {

constexpr const char* kRewritesKey = "rewrites";

Json parts_json(const TimeParts& parts) {
  Json object = Json::object();
  for (std::size_t i = 0; i < kTimeParts; ++i)
    if (parts.seconds[i] != 0) object[std::string(name_of(static_cast<TimePart>(i)))] = parts.seconds[i];
  return object;
}

/// Nothing where there is a part that this hone does not know.
std::optional<TimeParts> parts_in(const Json& object) {
  TimeParts parts;
  std::size_t known = 0;
  for (std::size_t i = 0; i < kTimeParts; ++i) {
    const auto found = object.find(std::string(name_of(static_cast<TimePart>(i))));
    if (found == object.end() || !found->is_number()) continue;
    parts.seconds[i] = *found;
    ++known;
  }
  return known == object.size() ? std::optional(parts) : std::nullopt;
}

Json kernels_json(const std::vector<KernelSum>& kernels) {
  Json list = Json::array();
  for (const KernelSum& each : kernels)
    list.push_back({each.op, each.sort, each.count, each.seconds, each.activation_bytes, each.weight_bytes});
  return list;
}

/// None where they are not what this hone writes.
std::vector<KernelSum> kernels_in(const Json& list) {
  std::vector<KernelSum> kernels;
  for (const Json& each : list) {
    if (!each.is_array() || each.size() != 6) return {};
    kernels.push_back({.op = each[0],
                       .sort = each[1],
                       .count = each[2],
                       .seconds = each[3],
                       .activation_bytes = each[4],
                       .weight_bytes = each[5]});
  }
  return kernels;
}

Json rewrite_json(const TimedRewrite& rewrite) {
  return {{"hash", fmt::format("{:016x}", rewrite.hash)},
          {"rules", rewrite.rules},
          {"estimated", parts_json(rewrite.estimated)},
          {"timed", parts_json(rewrite.timed)},
          {"executed", kernels_json(rewrite.executed)},
          {"frame_seconds", rewrite.frame_seconds},
          {"seconds", rewrite.seconds},
          {"again_seconds", rewrite.again_seconds}};
}

std::optional<TimedRewrite> rewrite_in(const Json& object) {
  if (!object.is_object()) return std::nullopt;
  const auto estimated = parts_in(object.value("estimated", Json::object()));
  const auto timed = parts_in(object.value("timed", Json::object()));
  if (!estimated || !timed) return std::nullopt;
  return TimedRewrite{.hash = std::strtoull(object.value("hash", "").c_str(), nullptr, 16),
                      .rules = object.value("rules", ""),
                      .estimated = *estimated,
                      .timed = *timed,
                      .executed = kernels_in(object.value("executed", Json::array())),
                      .frame_seconds = object.value("frame_seconds", 0.0),
                      .seconds = object.value("seconds", 0.0),
                      .again_seconds = object.value("again_seconds", 0.0)};
}

std::optional<TimedRewrites> rewrites_in(const MeasurementRecord& record) {
  const auto list = record.detail.find(kRewritesKey);
  if (list == record.detail.end() || !list->is_array()) return std::nullopt;
  const auto start = rewrite_in(record.detail.value("start", Json()));
  if (!start) return std::nullopt;
  TimedRewrites timed{.model = record.detail.value("name", ""), .start = *start, .rewrites = {}};
  for (const Json& each : *list) {
    const auto rewrite = rewrite_in(each);
    if (!rewrite) return std::nullopt;
    timed.rewrites.push_back(*rewrite);
  }
  return timed;
}

/// Of each graph the last record.
std::vector<TimedRewrites> newest_of(const std::vector<MeasurementRecord>& records) {
  std::map<std::string, TimedRewrites> newest;
  for (const MeasurementRecord& record : records)
    if (auto timed = rewrites_in(record)) newest[record.graph] = std::move(*timed);
  std::vector<TimedRewrites> all;
  for (auto& [graph, timed] : newest) all.push_back(std::move(timed));
  return all;
}

}  // namespace

void record_rewrites(Store& store, const GraphRecord& graph, const ProfileContext& context,
                     const TimedRewrites& timed) {
  const Provenance provenance{graph, this_hardware(), runtime_software(context.runtime, context.threads)};
  Json list = Json::array();
  for (const TimedRewrite& rewrite : timed.rewrites) list.push_back(rewrite_json(rewrite));
  store.write([&](Writer& writer) {
    writer.add(provenance);
    writer.add(MeasurementRecord{
        .graph = provenance.graph.id,
        .hardware = provenance.hardware.id,
        .software = provenance.software.id,
        .median_seconds = timed.start.seconds,
        .detail = {{"name", timed.model}, {"start", rewrite_json(timed.start)}, {kRewritesKey, list}}});
  });
}

std::vector<TimedRewrites> stored_rewrites(Store& store, const ProfileContext& context) {
  const SoftwareRecord software = runtime_software(context.runtime, context.threads);
  return newest_of(store.select<MeasurementRecord>("WHERE hardware = $1 AND software = $2 ORDER BY created_seconds, id",
                                                   {this_hardware().id, software.id}));
}

std::map<std::string, std::vector<TimedRewrites>> rewrites_by_runtime(Store& store) {
  std::map<std::string, std::vector<TimedRewrites>> by_runtime;
  for (const SoftwareRecord& software : store.select<SoftwareRecord>("ORDER BY id")) {
    std::vector<TimedRewrites> found =
        newest_of(store.select<MeasurementRecord>("WHERE software = $1 ORDER BY created_seconds, id", {software.id}));
    if (!found.empty()) by_runtime[software.description.value("runtime", "")] = std::move(found);
  }
  return by_runtime;
}

}  // namespace hone
