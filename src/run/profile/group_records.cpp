#include "run/profile/group_records.h"

#include <fmt/format.h>

#include <charconv>

#include "base/version.h"

namespace hone {
namespace {

constexpr std::string_view kGroupRecord = "group ";

}  // namespace

ProfileContext group_conditions(const Runtime& runtime, std::size_t threads) {
  std::string label = runtime.label();
  if (runtime.version().empty()) label += fmt::format(" of {}", commit());
  return {.hardware = hardware_fingerprint(), .runtime = label, .threads = threads};
}

std::string group_config(std::uint64_t key, const std::string& operators) {
  return fmt::format("{}{:016x} {}", kGroupRecord, key, operators);
}

std::optional<std::uint64_t> group_key_in(std::string_view config) {
  if (!config.starts_with(kGroupRecord)) return std::nullopt;
  config.remove_prefix(kGroupRecord.size());
  std::uint64_t key = 0;
  const auto [end, error] = std::from_chars(config.data(), config.data() + config.size(), key, 16);
  return error == std::errc() ? std::optional(key) : std::nullopt;
}

}  // namespace hone
