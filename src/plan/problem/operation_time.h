#pragma once

#include <vector>

#include "plan/machine/machine.h"
#include "plan/problem/workload.h"

namespace hone {

/// What one operation adds to the time of the kernel it runs in, on one kind of device; what several take together is
/// in group_time.h. Views are free, and an operation that states its time has said all: neither has anything else.
///
/// Where the kind of device has a measured time of the operation running alone, estimates are multiplied by what they
/// were off, so that `alone` is what was measured; what the estimate has nothing of counts as launch.
struct OperationTime {
  double stated_seconds = 0;  // NaN when this kind of device cannot run it
  double compute_seconds = 0;
  double seconds_per_byte = 0;
  double launch_seconds = 0;
  double measured_over_estimated = 1;

  /// Time of the operation as a kernel of its own: the longer of arithmetic and memory traffic, and the launch.
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
