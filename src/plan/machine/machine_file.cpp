#include "plan/machine/machine_file.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/suggestion.h"
#include "plan/machine/identical_processors.h"
#include "plan/machine/toml_reader.h"

namespace hone {
namespace {

/// Sharing of the queue between the pairs of devices that one [[link]] entry joins.
enum class Sharing { pair, sender, receiver, all };

Sharing sharing_of(TomlReader& entry) {
  const std::string word = entry.text_or("sharing", "pair");
  if (word == "pair") return Sharing::pair;
  if (word == "sender") return Sharing::sender;
  if (word == "receiver") return Sharing::receiver;
  if (word == "all") return Sharing::all;
  fail_usage("{}sharing must be pair, sender, receiver or all, not '{}'", entry.where(), word);
}

EfficiencyCurve curve_of(TomlReader& reader, std::string_view key) {
  if (!reader.has(key)) return {};
  const std::string name = fmt::format("{}{}", reader.where(), key);
  std::vector<EfficiencyCurve::Point> points;
  for (const toml::node& item : reader.list(key)) {
    const toml::array* pair = item.as_array();
    if (pair == nullptr || pair->size() != 2) fail_usage("{} must be a list of pairs [size, efficiency]", name);
    const double size = TomlReader::checked(*pair->get(0), name);
    const double efficiency = TomlReader::checked(*pair->get(1), name);
    if (size <= 0 || efficiency <= 0) fail_usage("{} must have sizes and efficiencies over 0", name);
    if (!points.empty() && size <= points.back().size) fail_usage("{} must have ascending sizes", name);
    points.push_back({size, efficiency});
  }
  return EfficiencyCurve(std::move(points));
}

void read_efficiency(TomlReader& device, DeviceKind& kind) {
  if (!device.has("efficiency")) return;
  TomlReader all = device.table("efficiency");
  for (const std::string& key : all.keys()) {
    const std::optional<OperationClass> operation_class = operation_class_named(key);
    if (!operation_class) fail_usage("{}{} is not a class of operations", all.where(), key);
    TomlReader curves = all.table(key);
    kind.flops_efficiency[static_cast<std::size_t>(*operation_class)] = curve_of(curves, "flops");
    kind.bytes_efficiency[static_cast<std::size_t>(*operation_class)] = curve_of(curves, "bytes");
    kind.is_measured[static_cast<std::size_t>(*operation_class)] = curves.flag("measured");
    curves.reject_unknown();
  }
}

void read_flops(TomlReader& device, DeviceKind& kind) {
  TomlReader flops = device.table("flops");
  flops.positive(name_of(ElementType::float32));
  for (const std::string& key : flops.keys()) {
    const std::optional<ElementType> element = element_type_named(key);
    if (!element) fail_usage("{}{} is not an element type", flops.where(), key);
    kind.flops.emplace_back(*element, flops.positive(key));
  }
}

DeviceKind read_kind(TomlReader& entry) {
  DeviceKind kind;
  kind.name = entry.text("kind");
  kind.model = entry.text_or("model", kind.name);
  kind.memory_bytes = entry.positive("memory_bytes");
  kind.bytes_per_second = entry.positive("bytes_per_second");
  kind.launch_seconds = entry.number("launch_seconds");
  if (entry.has("streams")) kind.streams = entry.count("streams", 64);
  if (entry.has("scratch_bytes")) kind.scratch_bytes = entry.number("scratch_bytes");
  if (entry.has("live_values")) kind.live_values = entry.positive("live_values");
  kind.is_host = entry.flag("host");
  read_flops(entry, kind);
  read_efficiency(entry, kind);
  return kind;
}

void read_devices(TomlReader& root, Machine& machine) {
  for (TomlReader& entry : root.tables("device")) {
    DeviceKind kind = read_kind(entry);
    const std::size_t count = entry.has("count") ? entry.count("count", kMaxDevices) : 1;
    entry.reject_unknown();
    if (std::ranges::find(machine.kinds, kind.name, &DeviceKind::name) != machine.kinds.end())
      fail_usage("{}kind '{}' is described twice", entry.where(), kind.name);
    for (std::size_t i = 0; i < count; ++i)
      machine.devices.push_back({count == 1 ? kind.name : fmt::format("{}:{}", kind.name, i), machine.kinds.size()});
    machine.kinds.push_back(std::move(kind));
  }
  if (machine.devices.empty()) fail_usage("{}device is missing: a machine has at least one", root.where());
  if (machine.device_count() > kMaxDevices)
    fail_usage("{}device: {} devices are more than {}", root.where(), machine.device_count(), kMaxDevices);
}

/// Devices that `"*"`, a kind or a device name stands for.
std::vector<DeviceId> select(TomlReader& entry, std::string_view key, const Machine& machine) {
  const std::string word = entry.text(key);
  std::vector<DeviceId> chosen;
  for (std::size_t i = 0; i < machine.device_count(); ++i) {
    const DeviceId id(i);
    if (word == "*" || machine.device(id).name == word || machine.kind(id).name == word) chosen.push_back(id);
  }
  if (chosen.empty()) fail_usage("{}{}: no device or kind is called '{}'", entry.where(), key, word);
  return chosen;
}

/// What the pairs that share a queue have in common; also the queue's name.
std::string queue_name(Sharing sharing, const std::string& from, const std::string& to, std::size_t entry) {
  switch (sharing) {
    case Sharing::pair: return fmt::format("{} to {}", from, to);
    case Sharing::sender: return fmt::format("out of {}", from);
    case Sharing::receiver: return fmt::format("into {}", to);
    case Sharing::all: break;
  }
  return fmt::format("link {}", entry);
}

void read_link(TomlReader& entry, std::size_t index, Machine& machine) {
  const std::vector<DeviceId> senders = select(entry, "from", machine);
  const std::vector<DeviceId> receivers = select(entry, "to", machine);
  const Sharing sharing = sharing_of(entry);
  Link link;
  if (!entry.flag("free")) {
    link.latency_seconds = entry.number("latency_seconds");
    link.bytes_per_second = entry.positive("bytes_per_second");
  }
  entry.reject_unknown();
  const std::size_t first = machine.links.size();
  for (const DeviceId from : senders) {
    for (const DeviceId to : receivers) {
      if (from == to) continue;
      LinkId& route = machine.routes[from.index() * machine.device_count() + to.index()];
      const std::string &sender = machine.device(from).name, &receiver = machine.device(to).name;
      if (route.valid()) fail_usage("{}to: {} and {} are joined twice", entry.where(), sender, receiver);
      link.name = queue_name(sharing, sender, receiver, index);
      const auto same = std::find_if(machine.links.begin() + static_cast<std::ptrdiff_t>(first), machine.links.end(),
                                     [&](const Link& other) { return other.name == link.name; });
      route = LinkId(static_cast<std::size_t>(same - machine.links.begin()));
      if (same == machine.links.end()) machine.links.push_back(link);
    }
  }
}

void read_links(TomlReader& root, Machine& machine) {
  const std::size_t count = machine.device_count();
  machine.routes.assign(count * count, LinkId());
  if (root.has("link")) {
    std::size_t index = 0;
    for (TomlReader& entry : root.tables("link")) read_link(entry, index++, machine);
  }
  for (std::size_t from = 0; from < count; ++from)
    for (std::size_t to = 0; to < count; ++to)
      if (from != to && !machine.routes[from * count + to].valid())
        fail_usage("{}link: none joins {} to {}", root.where(), machine.devices[from].name, machine.devices[to].name);
}

toml::table parse_table(std::string_view text, std::string_view source) {
  try {
    return toml::parse(text, source);
  } catch (const toml::parse_error& error) {
    fail_usage("{}:{}: not TOML: {}", source, error.source().begin.line, error.description());
  }
}

void write_curve(std::string& text, std::string_view key, const EfficiencyCurve& curve) {
  if (curve.points().empty()) return;
  text += fmt::format("{} = [", key);
  for (const EfficiencyCurve::Point& point : curve.points())
    text +=
        fmt::format("{}[{:.1f}, {:.6f}]", &point == &curve.points().front() ? "" : ", ", point.size, point.efficiency);
  text += "]\n";
}

const BuiltinMachine* find_builtin(std::string_view name) {
  for (const BuiltinMachine& machine : builtin_machines())
    if (machine.name == name) return &machine;
  return nullptr;
}

[[noreturn]] void fail_unknown(std::string_view name) {
  std::vector<std::string_view> names;
  for (const BuiltinMachine& machine : builtin_machines()) names.push_back(machine.name);
  fail_usage("'{:.60}' is neither a built-in machine nor a file that can be read{}", name,
             suggestion_or_all(name, names));
}

std::string toml_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) continue;
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

}  // namespace

Machine parse_machine(std::string_view text, std::string_view source) {
  const toml::table table = parse_table(text, source);
  TomlReader root(table, fmt::format("{}: ", source));
  Machine machine;
  machine.name = root.text("name");
  machine.summary = root.text_or("summary", "");
  machine.runs_planned_kernels = root.flag("runs_planned_kernels");
  read_devices(root, machine);
  read_links(root, machine);
  root.reject_unknown();
  return machine;
}

std::string machine_text(const std::string& name_or_path) {
  if (const BuiltinMachine* builtin = find_builtin(name_or_path)) return std::string(builtin->text);
  if (std::optional<std::string> text = describe_identical_processors(name_or_path)) return *std::move(text);
  std::ifstream file(name_or_path, std::ios::binary);
  if (!file || std::filesystem::is_directory(name_or_path)) fail_unknown(name_or_path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Machine load_machine(const std::string& name_or_path) {
  return parse_machine(machine_text(name_or_path), name_or_path);
}

std::string toml_of_device(const DeviceKind& kind, std::string_view machine_name, std::string_view summary) {
  std::string text = fmt::format(
      "name = {}\nsummary = {}\n\n[[device]]\nkind = {}\nmodel = {}\nmemory_bytes = {:.0f}\nbytes_per_second = {:.0f}\n"
      "launch_seconds = {:e}\nstreams = {}\nscratch_bytes = {:.0f}\nlive_values = {:.0f}\n\n[device.flops]\n",
      toml_text(machine_name), toml_text(summary), toml_text(kind.name), toml_text(kind.model), kind.memory_bytes,
      kind.bytes_per_second, kind.launch_seconds, kind.streams, kind.scratch_bytes, kind.live_values);
  for (const auto& [element, rate] : kind.flops) text += fmt::format("{} = {:.0f}\n", name_of(element), rate);
  for (std::size_t i = 0; i < kOperationClasses; ++i) {
    if (kind.flops_efficiency[i].points().empty() && kind.bytes_efficiency[i].points().empty()) continue;
    text += fmt::format("\n[device.efficiency.{}]\n", name_of(static_cast<OperationClass>(i)));
    if (kind.is_measured[i]) text += "measured = true\n";
    write_curve(text, "flops", kind.flops_efficiency[i]);
    write_curve(text, "bytes", kind.bytes_efficiency[i]);
  }
  return text;
}

}  // namespace hone
