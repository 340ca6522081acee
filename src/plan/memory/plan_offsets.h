#pragma once

#include <cstdint>
#include <vector>

#include "plan/memory/plan_memory.h"
#include "plan/problem/plan.h"

namespace hone {

/// The memory of one device while a plan is carried out.
struct DeviceArena {
  DeviceId device;
  std::int64_t arena_bytes = 0;  // from the lowest byte to the end of the highest buffer
  std::int64_t bound_bytes = 0;  // most that lies there at one time, in whole cache lines: no arena is smaller
};

/// Where everything lies while a plan is carried out.
struct PlanOffsets {
  std::vector<std::int64_t> offset_of;  // as in Plan
  std::vector<DeviceArena> arenas;      // by device
};

/// Offsets for every copy of every buffer on every device, from when the simulator takes and gives back its memory, for
/// a plan that can be carried out. All are multiples of 64 bytes; what shares memory has the same offset. A device
/// whose arena comes out larger than its memory is not laid out. The same plan gives the same offsets.
PlanOffsets lay_out_memory(const Workload& workload, const Machine& machine, const Plan& plan);

}  // namespace hone
