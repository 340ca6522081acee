#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/methods/durations.h"
#include "plan/methods/held_memory.h"
#include "plan/methods/schedule_slot.h"

namespace hone {

/// A schedule that is made from its end: readers are placed before what they read, and time runs backward, from the
/// end of everything. What an operation makes is sent to all its readers when it is placed, so that what leaves a
/// device over one link is seen at once. The durations must outlive it.
class ReversedSchedule {
 public:
  using Slot = ScheduleSlot;
  using Read = Durations::Read;

  /// `limits`: bytes by device, none when empty.
  ReversedSchedule(const Durations& durations, std::vector<double> limits);

  const Durations& durations() const { return durations_; }
  /// What an operation can be placed after, and what after it.
  std::span<const Read> before(OperationId operation) const { return durations_.read_by(operation); }
  std::span<const Read> after(OperationId operation) const { return durations_.reads(operation); }

  /// Takes everything out; of the limits of memory the next schedule may use that share.
  void clear(double room = 1);
  Slot best_slot(OperationId operation, const SlotPrices& prices);
  void place(OperationId operation, const Slot& slot);

  /// From the start of an operation to the end of the schedule, where time runs backward.
  double finish(OperationId operation) const { return finishes_[operation.index()]; }
  /// By operation.
  std::span<const double> finishes() const { return finishes_; }

  /// `plan` with the devices of this schedule, in which everything has been placed, and what starts or is needed
  /// earlier first.
  Plan apply_to(Plan plan) const;

 private:
  /// A device that reads a buffer, and when it starts to.
  struct Demand {
    BufferId buffer;
    DeviceId device;
    double needed = 0;
    bool is_free = false;
  };

  void gather_demands(OperationId operation);
  Slot slot_on(OperationId operation, DeviceId device) const;

  const Durations& durations_;
  const Workload& workload_;
  std::vector<double> limits_;
  double room_ = 1;
  DeviceStreams streams_;
  std::vector<FreeTime> links_;
  HeldMemory memory_;
  std::vector<DeviceId> decided_;    // by choice
  std::vector<DeviceId> device_of_;  // by operation
  std::vector<double> finishes_;     // by operation
  std::vector<OperationId> placed_;
  std::vector<Demand> demands_;  // of the operation that is looked at
  bool moved_ = false;           // anything, in more than no time
};

}  // namespace hone
