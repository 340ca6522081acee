#pragma once

#include <span>
#include <vector>

#include "plan/methods/held_memory.h"
#include "plan/methods/schedule_slot.h"
#include "plan/methods/scheduled_plan.h"

namespace hone {

/// What schedules that grow operation by operation keep, from whichever end they are made: where everything is, when
/// streams and links are free, what devices hold. Time runs from the end at which the schedule begins.
class ScheduleState {
 public:
  using Slot = ScheduleSlot;
  using Read = Durations::Read;

  const Durations& durations() const { return durations_; }
  /// The devices an operation may still go to.
  std::span<const DeviceId> devices(OperationId operation) const;
  double finish(OperationId operation) const { return finishes_[operation.index()]; }
  /// By operation.
  std::span<const double> finishes() const { return finishes_; }

 protected:
  /// `limits`: bytes by device, none when empty. The durations must outlive the schedule.
  ScheduleState(const Durations& durations, DeviceStreams::Gaps gaps, std::vector<double> limits);

  /// Takes everything out; of the limits of memory the next schedule may use that share.
  void start_anew(double room);
  /// When everything that an operation needs is on a device, and the seconds on links that this takes.
  struct Gathered {
    double ready = 0, moving = 0;
  };
  /// The slot of an operation for which everything is there.
  Slot slot_from(OperationId operation, DeviceId device, const Gathered& gathered) const;
  /// The best slot of an operation: `gathered(device)` says when it can start there, `ready` after which moment at all.
  template <class Gather>
  Slot best_of(OperationId operation, double ready, const SlotPrices& prices, const Gather& gathered) const {
    SlotChoice choice(prices);
    for (const DeviceId device : devices(operation)) {
      const double seconds = durations_.seconds(operation, device);
      if (!choice.may_take(device, ready + seconds, 0)) continue;
      const Gathered all = gathered(device);
      if (choice.may_take(device, all.ready + seconds, all.moving)) choice.offer(slot_from(operation, device, all));
    }
    return choice.best();
  }
  void note(OperationId operation, DeviceId device, double finish);
  /// `plan` with the devices of this schedule, in which everything has been placed, in that order.
  Plan applied_to(Plan plan, std::span<const OperationId> order) const;

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
  bool moved_ = false;  // anything, in more than no time
};

}  // namespace hone
