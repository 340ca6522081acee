#pragma once

#include <cstdint>
#include <vector>

#include "plan/machine/machine.h"
#include "plan/problem/workload.h"

namespace hone {

using GroupId = Id<struct GroupTag>;  // operations that run as one

/// What a device does whose next group is not ready.
enum class Waiting : std::uint8_t {
  never,    // whatever is ready runs, the highest priority first
  in_line,  // groups stand in a line, of all whose producers stand in it the one of highest priority next; a device
            // runs its own one after another in that order, and waits for the next
};

/// One complete answer to a planning problem, as plain data over the ids of a Workload and a Machine.
///
/// Vectors that say nothing may be empty: without `group_of` every operation is a group of its own (group i is
/// operation i), without priorities all are equal, without offsets nobody has laid out memory.
struct Plan {
  /// An operation that runs once more in another group, for the operations there that read what it makes. What a copy
  /// makes is never stored.
  struct Copy {
    OperationId operation;
    GroupId group;
    friend auto operator<=>(const Copy&, const Copy&) = default;
  };

  std::vector<GroupId> group_of;           // by operation
  std::vector<Copy> copies;                // ascending, none twice
  std::vector<DeviceId> device_of;         // by group
  std::vector<float> priority;             // by group; the ready group of highest priority runs first
  Waiting waiting = Waiting::never;        // whether a device may leave what is ready for what is next
  std::vector<float> transfer_priority;    // by buffer * devices + destination; highest first
  std::vector<std::int64_t> offset_of;     // by buffer * devices + device: byte address there; negative: not laid out
  std::vector<std::uint32_t> strategy_of;  // by node of a sharding problem

  std::size_t group_count() const { return device_of.size(); }
  GroupId group(OperationId operation) const {
    return group_of.empty() ? GroupId(operation.index()) : group_of[operation.index()];
  }
  DeviceId device(OperationId operation) const { return device_of[group(operation).index()]; }
  float priority_of(GroupId group) const { return priority.empty() ? 0.0F : priority[group.index()]; }

  friend bool operator==(const Plan&, const Plan&) = default;
};

/// The same with every operation a group of its own, on the device and with the priority of the group it was in.
Plan by_operation(const Plan& plan, const Workload& workload);

/// Every operation a group of its own on device 0.
Plan plan_on_one_device(const Workload& workload);

}  // namespace hone
