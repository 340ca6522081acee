#include "plan/methods/reversed_schedule.h"

#include <algorithm>

namespace hone {

ReversedSchedule::ReversedSchedule(const Durations& durations, std::vector<double> limits)
    : ScheduleState(durations, DeviceStreams::Gaps::filled, std::move(limits)) {
  clear();
}

void ReversedSchedule::clear(double room) { start_anew(room); }

/// Those of one buffer follow one another, and so few devices read it that they are found by looking.
void ReversedSchedule::gather_demands(OperationId operation) {
  demands_.clear();
  std::size_t first = 0;  // demand of this buffer
  for (const Read& read : durations_.read_by(operation)) {
    if (first < demands_.size() && demands_[first].buffer != read.buffer) first = demands_.size();
    const DeviceId device = device_of_[read.other.index()];
    const double needed = finishes_[read.other.index()];
    const auto same = std::ranges::find(demands_.begin() + static_cast<std::ptrdiff_t>(first), demands_.end(), device,
                                        &Demand::device);
    if (same == demands_.end()) demands_.push_back({read.buffer, device, needed, read.is_free});
    else same->needed = std::max(same->needed, needed);
  }
}

ReversedSchedule::Gathered ReversedSchedule::gathered(DeviceId device) const {
  Gathered all;
  for (const Demand& demand : demands_) {
    all.ready = std::max(all.ready, demand.needed);
    if (demand.is_free || demand.device == device) continue;
    const double seconds = durations_.transfer_seconds(demand.buffer, device, demand.device);
    if (seconds == 0) continue;
    const FreeTime& link = links_[durations_.problem().machine.route(device, demand.device).index()];
    all.ready = std::max(all.ready, link.earliest(demand.needed, seconds) + seconds);
    all.moving += seconds;
  }
  return all;
}

ReversedSchedule::Slot ReversedSchedule::best_slot(OperationId operation, const SlotPrices& prices) {
  gather_demands(operation);
  double needed = 0;
  for (const Demand& demand : demands_) needed = std::max(needed, demand.needed);
  return best_of(operation, needed, prices, [&](DeviceId device) { return gathered(device); });
}

void ReversedSchedule::place(OperationId operation, const Slot& slot) {
  gather_demands(operation);
  double ready = 0;
  for (const Demand& demand : demands_) {
    ready = std::max(ready, demand.needed);
    if (demand.is_free || demand.device == slot.device) continue;
    const double seconds = durations_.transfer_seconds(demand.buffer, slot.device, demand.device);
    if (seconds == 0) continue;
    FreeTime& link = links_[durations_.problem().machine.route(slot.device, demand.device).index()];
    const double start = link.earliest(demand.needed, seconds);
    link.occupy(start, seconds);
    ready = std::max(ready, start + seconds);
    moved_ = true;
  }
  const double seconds = durations_.seconds(operation, slot.device);
  const DeviceStreams::Place place = streams_.earliest(slot.device, ready, seconds);
  streams_.occupy(place, seconds);
  if (!limits_.empty()) memory_.place_backward(operation, slot.device);
  note(operation, slot.device, place.start + seconds);
}

Plan ReversedSchedule::apply_to(Plan plan) const {
  std::vector<OperationId> order(placed_.rbegin(), placed_.rend());
  std::ranges::stable_sort(order, std::greater(), [&](OperationId operation) { return finishes_[operation.index()]; });
  return applied_to(std::move(plan), order);
}

}  // namespace hone
