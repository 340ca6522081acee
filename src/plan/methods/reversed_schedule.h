#pragma once

#include <span>
#include <vector>

#include "plan/methods/schedule_state.h"

namespace hone {

/// A schedule that is made from its end: readers are placed before what they read, and time runs backward, from the
/// end of everything. What an operation makes is sent to all its readers when it is placed, so that what leaves a
/// device over one link is seen at once. The durations must outlive it.
class ReversedSchedule : public ScheduleState {
 public:
  /// `limits`: bytes by device, none when empty.
  ReversedSchedule(const Durations& durations, std::vector<double> limits);

  /// What an operation can be placed after, and what after it.
  std::span<const Read> before(OperationId operation) const { return durations_.read_by(operation); }
  std::span<const Read> after(OperationId operation) const { return durations_.reads(operation); }

  /// Takes everything out; of the limits of memory the next schedule may use that share.
  void clear(double room = 1);
  Slot best_slot(OperationId operation, const SlotPrices& prices);
  void place(OperationId operation, const Slot& slot);

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
  /// What the demands of the operation that is looked at come to on a device.
  Gathered gathered(DeviceId device) const;

  std::vector<Demand> demands_;  // of the operation that is looked at
};

}  // namespace hone
