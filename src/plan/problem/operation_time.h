#pragma once

#include <vector>

#include "plan/problem/workload.h"
#include "plan/machine/machine.h"

namespace hone {

/// What one work adds to the time of the group it runs in, on one kind of device.
///
///   seconds of a group = sum(stated) + max(sum(compute), sum(traffic * seconds_per_byte)) + launch
///
/// summed over its works in topological order. The launch is paid once, unless all works are views or state their own
/// time. `traffic` of a work is its bytes less what fusion saves, but not below zero: saved are the bytes of each input
/// that the group makes itself or that a work earlier in the group (in topological order) reads too, and of each output
/// that is internal to the group, which is one that has readers, all of them in the group, and is no result of the
/// graph.
struct WorkTime {
  double stated_seconds = 0;  // NaN when this kind of device cannot run it
  double compute_seconds = 0;
  double seconds_per_byte = 0;
  double launch_seconds = 0;

  /// Time of the work as a group of its own.
  double alone(double bytes) const {
    const double memory_seconds = bytes * seconds_per_byte;
    return stated_seconds + (compute_seconds > memory_seconds ? compute_seconds : memory_seconds) + launch_seconds;
  }
};

/// Times of all works on all kinds of device of a machine.
class WorkTimes {
 public:
  /// Throws InputError naming a work that no device of the machine can run.
  WorkTimes(const Workload& workload, const Machine& machine);

  const WorkTime& at(WorkId work, std::size_t kind) const { return times_[work.index() * kinds_ + kind]; }

 private:
  std::size_t kinds_;
  std::vector<WorkTime> times_;
};

}  // namespace hone
