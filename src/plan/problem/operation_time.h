#pragma once

#include <vector>

#include "plan/machine/machine.h"
#include "plan/problem/workload.h"

namespace hone {

/// What one operation adds to the time of the group it runs in, on one kind of device.
///
///   seconds of a group = sum(stated) + max(sum(compute), sum(traffic * seconds_per_byte)) + launch
///
/// summed over its operations in topological order. The launch is paid once, unless all operations are views or state
/// their own time. `traffic` of an operation is its bytes less what fusion saves, but not below zero: saved are the
/// bytes of each input that the group makes itself or that an operation earlier in the group (in topological order)
/// reads too, and of each output that is internal to the group, which is one that has readers, all of them in the
/// group, and is no result of the graph.
struct OperationTime {
  double stated_seconds = 0;  // NaN when this kind of device cannot run it
  double compute_seconds = 0;
  double seconds_per_byte = 0;
  double launch_seconds = 0;

  /// Time of the operation as a group of its own.
  double alone(double bytes) const {
    const double memory_seconds = bytes * seconds_per_byte;
    return stated_seconds + (compute_seconds > memory_seconds ? compute_seconds : memory_seconds) + launch_seconds;
  }
};

/// Times of all operations on all kinds of device of a machine.
class OperationTimes {
 public:
  /// Throws InputError naming an operation that no device of the machine can run.
  OperationTimes(const Workload& workload, const Machine& machine);

  const OperationTime& at(OperationId operation, std::size_t kind) const {
    return times_[operation.index() * kinds_ + kind];
  }

 private:
  std::size_t kinds_;
  std::vector<OperationTime> times_;
};

}  // namespace hone
