#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/methods/durations.h"
#include "plan/methods/free_time.h"
#include "plan/methods/held_memory.h"
#include "plan/search/search.h"

namespace hone {

/// A schedule that grows operation by operation: when streams and links are free, when data arrives where, what devices
/// hold. What is placed stays where and when it is; only what was placed may be read. The simulator has the last word
/// on the plan that comes of it, as it runs whatever is ready.
class PartialSchedule {
 public:
  /// A place for an operation.
  struct Slot {
    DeviceId device;
    std::uint32_t stream = 0;
    double start = 0, finish = 0;
    double excess = 0;  // bytes that the device would hold beyond its limit
    double idle = 0;    // seconds that its stream does nothing just before
  };
  /// Whether operations may go into gaps between operations that were placed before it.
  enum class Gaps { left, filled };

  /// `limits`: bytes by device, none when empty. The durations must outlive the schedule.
  PartialSchedule(const Durations& durations, Gaps gaps, std::vector<double> limits);

  const Durations& durations() const { return durations_; }
  void clear();
  /// The devices an operation may still go to.
  std::span<const DeviceId> devices(OperationId operation) const;
  Slot slot_on(OperationId operation, DeviceId device) const;
  /// Where it finishes first, of the devices that have room for it or else lack the least.
  Slot earliest_finish(OperationId operation) const;
  void place(OperationId operation, const Slot& slot);

  /// Everything placed so far, in that order.
  std::span<const OperationId> placed() const { return placed_; }
  double start(OperationId operation) const { return starts_[operation.index()]; }
  double finish(OperationId operation) const { return finishes_[operation.index()]; }

  /// `plan` with the devices of this schedule, in which everything has been placed, and what starts or is needed
  /// earlier first.
  Plan apply_to(Plan plan) const;

 private:
  struct Copy {
    DeviceId device;
    double arrival = 0;
  };

  std::span<const Copy> copies(BufferId buffer) const {
    return {copies_.data() + copy_begin_[buffer.index()], copy_count_[buffer.index()]};
  }
  double arrival(const Durations::Read& read, DeviceId device) const;
  bool move_inputs(OperationId operation, DeviceId device);
  std::vector<float> transfer_priorities(std::span<const float> priority) const;

  const Durations& durations_;
  const Workload& workload_;
  Gaps gaps_;
  std::vector<double> limits_;
  std::vector<std::uint32_t> stream_begin_;  // by device; one more than there are
  std::vector<FreeTime> streams_, links_;
  HeldMemory memory_;
  std::vector<DeviceId> decided_;                       // by choice
  std::vector<DeviceId> device_of_;                     // by operation
  std::vector<double> starts_, finishes_;               // by operation
  std::vector<std::uint32_t> copy_begin_, copy_count_;  // by buffer
  std::vector<Copy> copies_;
  std::vector<OperationId> placed_;
  bool moved_ = false;  // anything, in more than no time
};

}  // namespace hone
