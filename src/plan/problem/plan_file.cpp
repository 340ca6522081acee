#include "plan/problem/plan_file.h"

#include <bit>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/hash.h"
#include "base/mapped_file.h"
#include "base/output_file.h"
#include "plan/problem/check.h"

namespace hone {
namespace {

using nlohmann::json;

constexpr std::string_view kSchema = "hone.plan/1";
constexpr const char *kWaitingKey = "devices_wait", *kInLine = "in-line", *kNeverWaiting = "never";

std::uint64_t mix_number(std::uint64_t hash, double number) { return mix(hash, std::bit_cast<std::uint64_t>(number)); }

std::string text_of_fingerprint(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

/// A list of numbers under a key; empty when the key is absent.
template <class T>
std::vector<T> numbers(const json& plan, const char* key, std::string_view source) {
  if (!plan.contains(key)) return {};
  std::vector<T> result;
  const json& list = plan.at(key);
  if (!list.is_array()) fail_usage("{}: {} must be a list", source, key);
  for (const json& item : list) {
    const bool fits = std::is_floating_point_v<T> ? item.is_number() : item.is_number_integer();
    if (!fits) fail_usage("{}: {} must be a list of numbers", source, key);
    result.push_back(item.get<T>());
  }
  return result;
}

std::vector<DeviceId> devices_named(const json& plan, std::string_view source, const Machine& machine) {
  std::vector<DeviceId> devices;
  if (!plan.contains("devices") || !plan.at("devices").is_array()) fail_usage("{}: devices is missing", source);
  for (const json& item : plan.at("devices")) {
    if (!item.is_string()) fail_usage("{}: devices must be a list of names", source);
    const auto name = item.get<std::string>();
    const std::optional<DeviceId> device = machine.find_device(name);
    if (!device) fail_usage("{}: machine {} has no device '{}'", source, machine.name, name);
    devices.push_back(*device);
  }
  return devices;
}

/// Pairs of an operation and a group under a key that may be absent.
std::vector<Plan::Copy> copies_in(const json& plan, std::string_view source) {
  constexpr const char* kKey = "copies_of_work";
  std::vector<Plan::Copy> copies;
  if (!plan.contains(kKey)) return copies;
  const auto is_index = [](const json& item) {
    return item.is_number_unsigned() && item.get<std::uint64_t>() < OperationId().index();
  };
  const json& list = plan.at(kKey);
  if (!list.is_array()) fail_usage("{}: {} must be a list", source, kKey);
  for (const json& item : list) {
    if (!item.is_array() || item.size() != 2 || !is_index(item[0]) || !is_index(item[1]))
      fail_usage("{}: {} must be a list of pairs of an operation and a group", source, kKey);
    copies.push_back({OperationId(item[0].get<std::size_t>()), GroupId(item[1].get<std::size_t>())});
  }
  return copies;
}

/// Never, unless the file says so.
Waiting waiting_in(const json& plan, std::string_view source) {
  const json said = plan.value(kWaitingKey, json(kNeverWaiting));
  if (said != kInLine && said != kNeverWaiting)
    fail_usage("{}: {} must be '{}' or '{}'", source, kWaitingKey, kNeverWaiting, kInLine);
  return said == kInLine ? Waiting::in_line : Waiting::never;
}

std::string_view text_in(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

json parse_object(std::string_view text, std::string_view source) {
  json plan = json::parse(text, nullptr, false);
  if (plan.is_discarded()) fail_usage("{}: not JSON", source);
  if (!plan.is_object() || plan.value("schema", json()) != kSchema)
    fail_usage("{}: not a plan of schema {}", source, kSchema);
  return plan;
}

}  // namespace

std::uint64_t fingerprint(const Workload& workload) {
  std::uint64_t hash = mix(workload.operation_count(), workload.buffer_count());
  for (std::size_t i = 0; i < workload.operation_count(); ++i) {
    const Operation& operation = workload.operation(OperationId(i));
    hash = hash_text(operation.name, hash_text(operation.op, hash));
    hash = mix_number(mix_number(mix(hash, static_cast<std::uint64_t>(operation.operation_class)), operation.flops),
                      operation.bytes);
    hash = mix(mix(hash, static_cast<std::uint64_t>(operation.element)), operation.colocate);
    for (const double seconds : operation.seconds) hash = mix_number(hash, seconds);
    for (const BufferId input : workload.inputs(OperationId(i))) hash = mix(hash, input.index());
    for (const BufferId output : workload.outputs(OperationId(i))) hash = mix(hash, output.index());
  }
  for (std::size_t i = 0; i < workload.buffer_count(); ++i) {
    const Buffer& buffer = workload.buffer(BufferId(i));
    hash = mix_number(mix_number(hash, buffer.bytes), buffer.transfer_seconds);
    hash = mix(mix(hash, static_cast<std::uint64_t>(buffer.kind)), buffer.alias_of.index());
    hash = mix(hash, buffer.is_output ? 1 : 0);
  }
  return hash;
}

std::uint64_t fingerprint(const ShardingProblem& problem) {
  const auto with = [](std::uint64_t hash, std::int64_t number) {
    return mix(hash, static_cast<std::uint64_t>(number));
  };
  std::uint64_t hash = with(hash_text(problem.name), problem.usage_limit);
  for (const ShardingProblem::Node& node : problem.nodes) {
    hash = with(with(mix(hash, node.strategies.size()), node.begin), node.end);
    for (const ShardingProblem::Strategy& strategy : node.strategies)
      hash = with(with(hash, strategy.cost), strategy.usage);
  }
  for (const ShardingProblem::Edge& edge : problem.edges) {
    hash = mix(mix(hash, edge.first), edge.second);
    for (const std::int64_t cost : edge.costs) hash = with(hash, cost);
  }
  return hash;
}

std::string plan_json(const Workload& workload, const Machine& machine, const Plan& plan) {
  json file = {{"schema", kSchema},
               {"graph", workload.name},
               {"fingerprint", text_of_fingerprint(fingerprint(workload))},
               {"machine", machine.name}};
  for (const Device& device : machine.devices) file["devices"].push_back(device.name);
  for (const DeviceId device : plan.device_of) file["device_of_group"].push_back(device.index());
  for (const GroupId group : plan.group_of) file["group_of_work"].push_back(group.index());
  for (const auto& [operation, group] : plan.copies)
    file["copies_of_work"].push_back({operation.index(), group.index()});
  if (!plan.priority.empty()) file["priority_of_group"] = plan.priority;
  if (plan.waiting == Waiting::in_line) file[kWaitingKey] = kInLine;
  if (!plan.transfer_priority.empty()) file["priority_of_transfer"] = plan.transfer_priority;
  if (!plan.offset_of.empty()) file["offset_of_buffer"] = plan.offset_of;
  return file.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

Plan parse_plan(std::string_view text, std::string_view source, const Workload& workload, const Machine& machine) {
  const json file = parse_object(text, source);
  const std::string expected = text_of_fingerprint(fingerprint(workload));
  if (file.value("fingerprint", json()) != expected)
    fail("{}: this plan is for another graph ('{}'), not for '{}'", source,
         file.value("graph", json("?")).dump(-1, ' ', true, json::error_handler_t::replace), workload.name);
  const std::vector<DeviceId> devices = devices_named(file, source, machine);
  Plan plan;
  for (const auto index : numbers<std::uint64_t>(file, "device_of_group", source)) {
    if (index >= devices.size()) fail_usage("{}: device_of_group names device {} of {}", source, index, devices.size());
    plan.device_of.push_back(devices[index]);
  }
  for (const auto index : numbers<std::uint64_t>(file, "group_of_work", source)) {
    if (index >= plan.device_of.size())
      fail_usage("{}: group_of_work names group {} of {}", source, index, plan.device_of.size());
    plan.group_of.emplace_back(index);
  }
  plan.copies = copies_in(file, source);
  plan.priority = numbers<float>(file, "priority_of_group", source);
  plan.waiting = waiting_in(file, source);
  plan.transfer_priority = numbers<float>(file, "priority_of_transfer", source);
  plan.offset_of = numbers<std::int64_t>(file, "offset_of_buffer", source);
  if (const std::optional<std::string> flaw = check(workload, machine, plan)) fail_usage("{}: {}", source, *flaw);
  return plan;
}

void save_plan(const std::filesystem::path& path, const Workload& workload, const Machine& machine, const Plan& plan) {
  OutputFile file(path);
  file.write(plan_json(workload, machine, plan));
  file.commit();
}

std::string machine_name_in_plan(const std::filesystem::path& path) {
  const std::shared_ptr<const MappedFile> file = MappedFile::open(path);
  const json plan = parse_object(text_in(*file), path.string());
  const auto name = plan.find("machine");
  if (name == plan.end() || !name->is_string()) fail_usage("{}: names no machine", path.string());
  return name->get<std::string>();
}

bool is_plan_file(const std::filesystem::path& path) {
  const std::shared_ptr<const MappedFile> file = MappedFile::open(path);
  const json plan = json::parse(text_in(*file), nullptr, false);
  return plan.is_object() && plan.value("schema", json()) == kSchema;
}

bool is_plan_for(const std::filesystem::path& path, const Workload& workload) {
  const std::shared_ptr<const MappedFile> file = MappedFile::open(path);
  const json plan = parse_object(text_in(*file), path.string());
  return plan.value("fingerprint", json()) == text_of_fingerprint(fingerprint(workload));
}

Plan load_plan(const std::filesystem::path& path, const Workload& workload, const Machine& machine) {
  const std::shared_ptr<const MappedFile> file = MappedFile::open(path);
  return parse_plan(text_in(*file), path.string(), workload, machine);
}

}  // namespace hone
