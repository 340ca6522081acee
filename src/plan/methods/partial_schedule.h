#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/methods/schedule_state.h"

namespace hone {

/// A schedule that grows operation by operation: when streams and links are free, when data arrives where, what devices
/// hold. What is placed stays where and when it is; only what was placed may be read. The simulator has the last word
/// on the plan that comes of it, as it runs whatever is ready.
class PartialSchedule : public ScheduleState {
 public:
  using Gaps = DeviceStreams::Gaps;

  /// `limits`: bytes by device, none when empty. The durations must outlive the schedule.
  PartialSchedule(const Durations& durations, Gaps gaps, std::vector<double> limits);

  /// What an operation can be placed after, and what after it.
  std::span<const Read> before(OperationId operation) const { return durations_.reads(operation); }
  std::span<const Read> after(OperationId operation) const { return durations_.read_by(operation); }

  /// Takes everything out; of the limits of memory the next schedule may use that share.
  void clear(double room = 1);
  Slot slot_on(OperationId operation, DeviceId device) const {
    return slot_from(operation, device, gathered(operation, device));
  }
  Slot best_slot(OperationId operation, const SlotPrices& prices) const;
  /// Where it finishes first, of the devices that have room for it or else lack the least.
  Slot earliest_finish(OperationId operation) const { return best_slot(operation, {}); }
  void place(OperationId operation, const Slot& slot);

  double start(OperationId operation) const { return starts_[operation.index()]; }

  /// `plan` with the devices of this schedule, in which everything has been placed, and what starts or is needed
  /// earlier first.
  Plan apply_to(Plan plan) const;

 private:
  struct Copy {
    DeviceId device;
    double arrival = 0;
  };
  /// When something lies on a device, and the seconds on a link that this takes.
  struct Arrival {
    double seconds = 0, moving = 0;
  };

  std::span<const Copy> copies(BufferId buffer) const {
    return {copies_.data() + copy_begin_[buffer.index()], copy_count_[buffer.index()]};
  }
  Arrival arrival(const Read& read, DeviceId device) const;
  Gathered gathered(OperationId operation, DeviceId device) const;
  bool move_inputs(OperationId operation, DeviceId device);

  std::vector<double> starts_;                          // by operation
  std::vector<std::uint32_t> copy_begin_, copy_count_;  // by buffer
  std::vector<Copy> copies_;
};

}  // namespace hone
