#pragma once

#include <span>
#include <tuple>

#include "plan/methods/device_streams.h"

namespace hone {

/// A place for an operation in a schedule that grows operation by operation. In one that is made from its end, time
/// runs backward.
struct ScheduleSlot {
  DeviceId device;
  DeviceStreams::Place place;
  double finish = 0;
  double excess = 0;  // bytes that the device would hold beyond its limit
  double moving = 0;  // seconds of transfers that it causes

  double start() const { return place.start; }
};

/// What counts besides when an operation finishes, in seconds.
struct SlotPrices {
  double transfer_price = 0;    // of a second of transfers that it causes
  std::span<const float> bias;  // by device; none when empty
};

/// The best of the slots that are offered: on a device that has room or else lacks the least, then of the earliest
/// finish, prices added; of equal ones the one that leaves the least idle before it.
class SlotChoice {
 public:
  explicit SlotChoice(const SlotPrices& prices) : prices_(prices) {}

  /// Whether a slot that finishes no earlier and causes no fewer seconds of transfers can be better than the best.
  bool may_take(DeviceId device, double finish, double moving) const {
    return !best_.device.valid() || best_.excess > 0 || cost(device, finish, moving) <= cost_;
  }
  void offer(const ScheduleSlot& slot) {
    const double cost = this->cost(slot.device, slot.finish, slot.moving);
    if (best_.device.valid() &&
        std::tie(slot.excess, cost, slot.place.idle) >= std::tie(best_.excess, cost_, best_.place.idle))
      return;
    best_ = slot;
    cost_ = cost;
  }
  const ScheduleSlot& best() const { return best_; }

 private:
  double cost(DeviceId device, double finish, double moving) const {
    const double bias = prices_.bias.empty() ? 0 : static_cast<double>(prices_.bias[device.index()]);
    return finish + prices_.transfer_price * moving + bias;
  }

  const SlotPrices& prices_;
  ScheduleSlot best_;
  double cost_ = 0;
};

}  // namespace hone
