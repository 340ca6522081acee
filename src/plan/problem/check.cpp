#include "plan/problem/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "plan/problem/operation_time.h"

namespace hone {
namespace {

using Flaw = std::optional<std::string>;

Flaw check_sizes(const Workload& workload, const Machine& machine, const Plan& plan) {
  const auto expect = [](std::string_view what, std::size_t size, std::size_t wanted) -> Flaw {
    if (size == wanted) return std::nullopt;
    return fmt::format("the plan has {} {}, the graph needs {}", size, what, wanted);
  };
  const std::size_t operations = workload.operation_count();
  if (!plan.group_of.empty())
    if (Flaw flaw = expect("groups of operations", plan.group_of.size(), operations)) return flaw;
  if (plan.group_of.empty())
    if (Flaw flaw = expect("devices", plan.device_of.size(), operations)) return flaw;
  if (!plan.priority.empty())
    if (Flaw flaw = expect("priorities", plan.priority.size(), plan.group_count())) return flaw;
  if (!plan.transfer_priority.empty())
    if (Flaw flaw = expect("transfer priorities", plan.transfer_priority.size(),
                           workload.buffer_count() * machine.device_count()))
      return flaw;
  if (!plan.offset_of.empty())
    if (Flaw flaw = expect("offsets", plan.offset_of.size(), workload.buffer_count() * machine.device_count()))
      return flaw;
  return std::nullopt;
}

Flaw check_numbers(const Plan& plan) {
  for (std::size_t i = 0; i < plan.priority.size(); ++i)
    if (!std::isfinite(plan.priority[i])) return fmt::format("group {} has a priority that is not a number", i);
  for (const float priority : plan.transfer_priority)
    if (!std::isfinite(priority)) return "a transfer has a priority that is not a number";
  return std::nullopt;
}

Flaw check_groups(const Workload& workload, const Plan& plan) {
  std::set<GroupId> used;
  for (std::size_t i = 0; i < workload.operation_count(); ++i) {
    const GroupId group = plan.group(OperationId(i));
    if (group.index() >= plan.group_count())
      return fmt::format("operation '{}' is in group {}, but the plan has {} groups",
                         workload.operation(OperationId(i)).name,
                         group.valid() ? fmt::to_string(group.index()) : "none", plan.group_count());
    used.insert(group);
  }
  for (std::size_t i = 0; i < plan.group_count(); ++i)
    if (!used.contains(GroupId(i))) return fmt::format("group {} has no operation", i);
  return std::nullopt;
}

/// Whether an operation runs in a group, at home or as a copy.
bool runs_in(const Plan& plan, OperationId operation, GroupId group) {
  return plan.group(operation) == group || std::ranges::binary_search(plan.copies, Plan::Copy{operation, group});
}

Flaw check_copies(const Workload& workload, const Plan& plan) {
  if (!plan.copies.empty() && plan.group_of.empty()) return "the plan has copies, but no groups";
  for (std::size_t i = 0; i < plan.copies.size(); ++i) {
    const auto& [operation, group] = plan.copies[i];
    if (operation.index() >= workload.operation_count())
      return fmt::format("a copy is of operation {}, but the graph has {}",
                         operation.valid() ? fmt::to_string(operation.index()) : "none", workload.operation_count());
    const std::string& name = workload.operation(operation).name;
    if (group.index() >= plan.group_count())
      return fmt::format("a copy of operation '{}' is in group {}, but the plan has {} groups", name,
                         group.valid() ? fmt::to_string(group.index()) : "none", plan.group_count());
    if (plan.group(operation) == group)
      return fmt::format("a copy of operation '{}' is in group {}, where the operation is itself", name, group.index());
    if (i > 0 && plan.copies[i - 1] == plan.copies[i])
      return fmt::format("operation '{}' has two copies in group {}", name, group.index());
    if (i > 0 && plan.copies[i - 1] > plan.copies[i])
      return fmt::format("the copy of operation '{}' in group {} comes too late in the list", name, group.index());
  }
  for (const auto& [operation, group] : plan.copies) {
    bool is_read = false;
    for (const BufferId output : workload.outputs(operation))
      for (const OperationId reader : workload.readers(output)) is_read |= runs_in(plan, reader, group);
    if (!is_read)
      return fmt::format("nothing in group {} reads its copy of operation '{}'", group.index(),
                         workload.operation(operation).name);
  }
  return std::nullopt;
}

Flaw check_devices(const Workload& workload, const Machine& machine, const Plan& plan) {
  const OperationTimes times(workload, machine);
  std::map<std::uint32_t, OperationId> first_of_class;
  for (std::size_t i = 0; i < workload.operation_count(); ++i) {
    const OperationId id(i);
    const Operation& operation = workload.operation(id);
    const DeviceId device = plan.device(id);
    if (device.index() >= machine.device_count())
      return fmt::format("operation '{}' is on device {}, but machine {} has {} devices", operation.name,
                         device.valid() ? fmt::to_string(device.index()) : "none", machine.name,
                         machine.device_count());
    if (std::isnan(times.at(id, machine.device(device).kind).stated_seconds))
      return fmt::format("operation '{}' cannot run on device {}", operation.name, machine.device(device).name);
    if (operation.colocate == 0) continue;
    const OperationId other = first_of_class.emplace(operation.colocate, id).first->second;
    if (plan.device(other) != device)
      return fmt::format("operations '{}' and '{}' must share a device, but are on {} and {}",
                         workload.operation(other).name, operation.name, machine.device(plan.device(other)).name,
                         machine.device(device).name);
  }
  for (const auto& [operation, group] : plan.copies) {
    const Device& device = machine.device(plan.device_of[group.index()]);
    if (std::isnan(times.at(operation, device.kind).stated_seconds))
      return fmt::format("the copy of operation '{}' in group {} cannot run on device {}",
                         workload.operation(operation).name, group.index(), device.name);
  }
  return std::nullopt;
}

Flaw check_offsets(const Workload& workload, const Machine& machine, const Plan& plan) {
  for (std::size_t i = 0; i < plan.offset_of.size(); ++i) {
    if (plan.offset_of[i] < 0) continue;
    const Buffer& buffer = workload.buffer(BufferId(i / machine.device_count()));
    const DeviceId device(i % machine.device_count());
    if (static_cast<double>(plan.offset_of[i]) + buffer.bytes > machine.kind(device).memory_bytes)
      return fmt::format("buffer '{}' ends beyond the memory of {}", buffer.name, machine.device(device).name);
  }
  return std::nullopt;
}

/// Groups that must end before a group starts: those in which what its operations and copies read from outside lives.
std::vector<std::set<GroupId>> predecessors(const Workload& workload, const Plan& plan) {
  std::vector<std::set<GroupId>> before(plan.group_count());
  const auto wait = [&](GroupId reader, OperationId operation) {
    for (const BufferId input : workload.inputs(operation)) {
      const OperationId producer = workload.buffer(input).producer;
      if (producer.valid() && !runs_in(plan, producer, reader)) before[reader.index()].insert(plan.group(producer));
    }
  };
  for (std::size_t i = 0; i < workload.operation_count(); ++i) wait(plan.group(OperationId(i)), OperationId(i));
  for (const auto& [operation, group] : plan.copies) wait(group, operation);
  return before;
}

/// Takes away groups whose predecessors are all gone. What is left has a predecessor that is left too, so walking from
/// one to the next must come round.
Flaw check_cycles(const Workload& workload, const Plan& plan) {
  const std::vector<std::set<GroupId>> before = predecessors(workload, plan);
  std::vector<std::set<GroupId>> after(before.size());
  std::vector<std::size_t> left(before.size());
  std::vector<GroupId> free;
  for (std::size_t i = 0; i < before.size(); ++i) {
    for (const GroupId group : before[i]) after[group.index()].insert(GroupId(i));
    left[i] = before[i].size();
    if (left[i] == 0) free.emplace_back(i);
  }
  std::set<GroupId> gone;
  while (!free.empty()) {
    const GroupId group = free.back();
    free.pop_back();
    gone.insert(group);
    for (const GroupId next : after[group.index()])
      if (--left[next.index()] == 0) free.push_back(next);
  }
  if (gone.size() == before.size()) return std::nullopt;
  GroupId at(0);
  while (gone.contains(at)) at = GroupId(at.index() + std::size_t{1});
  std::set<GroupId> seen;
  while (seen.insert(at).second)
    for (const GroupId group : before[at.index()])
      if (!gone.contains(group)) at = group;
  for (std::size_t i = 0; i < workload.operation_count(); ++i)
    if (plan.group(OperationId(i)) == at)
      return fmt::format("group {} (with operation '{}') waits for itself", at.index(),
                         workload.operation(OperationId(i)).name);
  return fmt::format("group {} waits for itself", at.index());
}

}  // namespace

std::optional<std::string> check(const Workload& workload, const Machine& machine, const Plan& plan) {
  if (Flaw flaw = check_sizes(workload, machine, plan)) return flaw;
  if (Flaw flaw = check_numbers(plan)) return flaw;
  if (Flaw flaw = check_groups(workload, plan)) return flaw;
  if (Flaw flaw = check_copies(workload, plan)) return flaw;
  if (Flaw flaw = check_devices(workload, machine, plan)) return flaw;
  if (Flaw flaw = check_offsets(workload, machine, plan)) return flaw;
  return check_cycles(workload, plan);
}

}  // namespace hone
