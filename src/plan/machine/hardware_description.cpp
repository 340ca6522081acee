#include "plan/machine/hardware_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/hash.h"
#include "plan/machine/system_file.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

/// Instruction sets that kernels of a model use. The other flags tell of the kernel's defences, which come and go with
/// its version.
bool is_instruction_set(std::string_view flag) {
  constexpr std::array<std::string_view, 20> kPrefixes{"sse",    "ssse", "avx",  "fma",  "f16c", "bmi",     "amx",
                                                       "popcnt", "aes",  "vaes", "sha",  "gfni", "vpclmul", "asimd",
                                                       "sve",    "neon", "fphp", "bf16", "i8mm", "dotprod"};
  return std::ranges::any_of(kPrefixes, [flag](std::string_view prefix) { return flag.starts_with(prefix); });
}

std::string instruction_sets(const std::filesystem::path& cpuinfo) {
  std::string flags = system_field(cpuinfo, "flags");
  if (flags.empty()) flags = system_field(cpuinfo, "Features");  // as ARM calls them
  std::set<std::string> kept;
  std::istringstream words(flags);
  for (std::string flag; words >> flag;)
    if (is_instruction_set(flag)) kept.insert(flag);
  std::string text;
  for (const std::string& flag : kept) text += (text.empty() ? "" : " ") + flag;
  return text;
}

/// Distinct values of a field, and how often it occurs, over all processors.
struct Occurrences {
  std::set<std::string> values;
  std::size_t count = 0;
};
Occurrences occurrences(const std::filesystem::path& cpuinfo, std::string_view key) {
  Occurrences found;
  std::ifstream file(cpuinfo);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    ++found.count;
    found.values.insert(line.substr(std::min(line.size(), line.find(':'))));
  }
  return found;
}

std::vector<std::filesystem::path> entries(const std::filesystem::path& folder) {
  std::error_code none;  // a system without the folder has no such devices
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) paths.push_back(entry.path());
  return paths;
}

/// Graphics and other accelerators: by name where a driver tells it, by the numbers of vendor and device otherwise.
std::vector<std::string> accelerators(const std::filesystem::path& root) {
  std::vector<std::string> names;
  for (const auto& gpu : entries(root / "proc/driver/nvidia/gpus"))
    names.push_back(system_field(gpu / "information", "Model"));
  for (const auto& device : entries(root / "sys/bus/pci/devices")) {
    const std::string kind = first_line(device / "class"), vendor = first_line(device / "vendor");
    constexpr std::string_view kDisplay = "0x03", kAccelerator = "0x12", kNvidia = "0x10de";
    const bool is_named_above = vendor == kNvidia && !names.empty();
    if (is_named_above || !(kind.starts_with(kDisplay) || kind.starts_with(kAccelerator))) continue;
    names.push_back(fmt::format("pci {} {}", vendor, first_line(device / "device")));
  }
  std::ranges::sort(names);
  return names;
}

/// Hashes numbers and names in the order they are given.
class Digest {
 public:
  Digest& add(double number) { return add(std::bit_cast<std::uint64_t>(number)); }
  Digest& add(std::uint64_t word) {
    hash_ = mix(hash_, word);
    return *this;
  }
  Digest& add(std::string_view text) { return add(hash_text(text)); }
  Digest& add(const EfficiencyCurve& curve) {
    add(std::uint64_t{curve.points().size()});
    for (const EfficiencyCurve::Point& point : curve.points()) add(point.size).add(point.efficiency);
    return *this;
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0;
};

std::uint64_t digest_of(const Machine& machine) {
  Digest digest;
  for (const DeviceKind& kind : machine.kinds) {
    digest.add(kind.name).add(kind.memory_bytes).add(kind.bytes_per_second).add(kind.launch_seconds);
    digest.add(std::uint64_t{kind.streams}).add(kind.scratch_bytes).add(kind.live_values);
    for (const auto& [element, flops] : kind.flops) digest.add(static_cast<std::uint64_t>(element)).add(flops);
    for (const EfficiencyCurve& curve : kind.flops_efficiency) digest.add(curve);
    for (const EfficiencyCurve& curve : kind.bytes_efficiency) digest.add(curve);
  }
  for (const Device& device : machine.devices) digest.add(device.name).add(std::uint64_t{device.kind});
  for (const Link& link : machine.links) digest.add(link.latency_seconds).add(link.bytes_per_second);
  for (const LinkId route : machine.routes) digest.add(std::uint64_t{route.index()});
  return digest.value();
}

}  // namespace

Json describe_hardware(const Machine& machine) {
  Json object{{"machine", machine.name}, {"devices", Json::array()}};
  for (const Device& device : machine.devices) object["devices"].push_back(machine.kinds[device.kind].model);
  object["digest"] = fmt::format("{:016x}", digest_of(machine));
  return object;
}

Json describe_hardware(const std::filesystem::path& root) {
  const std::filesystem::path cpuinfo = root / "proc/cpuinfo";
  constexpr double kGibibyteInKibibytes = 1 << 20;
  const std::size_t sockets = std::max(std::size_t{1}, occurrences(cpuinfo, "physical id").values.size());
  const auto whole = [](double number) { return static_cast<std::uint64_t>(std::max(0.0, std::round(number))); };
  const std::string model = system_field(cpuinfo, "model name");
  return {{"processor", model.empty() ? system_field(cpuinfo, "CPU part") : model},
          {"instruction_sets", instruction_sets(cpuinfo)},
          {"sockets", sockets},
          {"cores", sockets * whole(number_or_zero(system_field(cpuinfo, "cpu cores")))},
          {"threads", occurrences(cpuinfo, "processor").count},
          {"memory_gib", whole(number_or_zero(system_field(root / "proc/meminfo", "MemTotal")) / kGibibyteInKibibytes)},
          {"accelerators", accelerators(root)}};
}

}  // namespace hone
