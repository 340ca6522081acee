#include "run/profile/operator_timing.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/fingerprint.h"
#include "base/output_file.h"
#include "base/text_file.h"
#include "plan/machine/hardware_description.h"

namespace hone {

std::optional<NodeTiming> ProfileTable::find(const ProfileContext& context, const std::string& config) const {
  const auto it = by_config_.find({context, config});
  return it == by_config_.end() ? std::nullopt : std::optional(it->second);
}

void ProfileTable::add(NodeTiming record) {
  std::pair key{record.context, record.config};
  by_config_.insert_or_assign(std::move(key), std::move(record));
}

std::vector<NodeTiming> ProfileTable::records() const {
  std::vector<NodeTiming> all;
  for (const auto& [key, record] : by_config_) all.push_back(record);
  return all;
}

nlohmann::ordered_json json_of(const NodeTiming& record) {
  return {{"version", kProfileVersion},
          {"hardware", record.context.hardware},
          {"runtime", record.context.runtime},
          {"threads", record.context.threads},
          {"config", record.config},
          {"seconds", record.seconds},
          {"p10", record.p10},
          {"p90", record.p90},
          {"samples", record.samples}};
}

NodeTiming node_timing(const nlohmann::json& object, const std::string& where) {
  if (!object.is_object() || object.value("version", nlohmann::json()) != kProfileVersion)
    fail("{}: not a profile record of version {}", where, kProfileVersion);
  try {
    NodeTiming record{.context = {.hardware = object.at("hardware"),
                                  .runtime = object.at("runtime"),
                                  .threads = object.at("threads")},
                      .config = object.at("config"),
                      .seconds = object.at("seconds"),
                      .p10 = object.at("p10"),
                      .p90 = object.at("p90"),
                      .samples = object.at("samples")};
    for (const double seconds : {record.seconds, record.p10, record.p90})
      if (!std::isfinite(seconds) || seconds < 0) fail("{}: a time must be finite and not negative", where);
    return record;
  } catch (const nlohmann::json::exception& error) {
    fail("{}: not a profile record: {}", where, error.what());
  }
}

ProfileTable read_profiles(const std::filesystem::path& file) {
  const TextFile text = read_text_file(file);
  ProfileTable table;
  std::string_view rest = text.text;
  for (std::size_t line = 1; !rest.empty(); ++line) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view words = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (words.empty()) continue;
    table.add(node_timing(nlohmann::json::parse(words, nullptr, false), fmt::format("{}:{}", file.string(), line)));
  }
  return table;
}

void write_profiles(const ProfileTable& table, const std::filesystem::path& file) {
  OutputFile output(file);
  for (const NodeTiming& record : table.records())
    output.write(json_of(record).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  output.commit();
}

std::string hardware_fingerprint() { return fingerprint_of(describe_hardware()); }

}  // namespace hone
