#pragma once

#include <span>
#include <vector>

#include "plan/methods/durations.h"
#include "plan/methods/free_time.h"

namespace hone {

/// A schedule that is made from its end: readers first, each operation where it ends last, that is, where it starts
/// first when time runs backward. Links are taken to be idle and memory to have no end. The durations must outlive it.
class ReversedSchedule {
 public:
  explicit ReversedSchedule(const Durations& durations);

  /// `order` has readers before what they read.
  void fill(std::span<const OperationId> order);
  /// From the start of an operation to the end of the schedule.
  double seconds_to_the_end(OperationId operation) const { return remaining_[operation.index()]; }

 private:
  struct Slot {
    std::size_t stream = 0;
    double end = 0, start = 0, idle = 0;
  };
  double ready(OperationId operation, DeviceId device) const;
  Slot slot_on(OperationId operation, DeviceId device) const;
  void place(OperationId operation);

  const Durations& durations_;
  std::vector<std::size_t> stream_begin_;  // by device; one more than there are
  std::vector<FreeTime> streams_;
  std::vector<DeviceId> decided_;    // by choice
  std::vector<DeviceId> device_of_;  // by operation
  std::vector<double> remaining_;    // by operation
};

}  // namespace hone
