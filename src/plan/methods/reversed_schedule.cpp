#include "plan/methods/reversed_schedule.h"

#include <algorithm>

#include "base/error.h"
#include "plan/methods/scheduled_plan.h"

namespace hone {

ReversedSchedule::ReversedSchedule(const Durations& durations, std::vector<double> limits)
    : durations_(durations),
      workload_(durations.problem().workload),
      limits_(std::move(limits)),
      streams_(durations, DeviceStreams::Gaps::filled),
      links_(free_links(durations)),
      memory_(workload_, durations.problem().machine.device_count()) {
  placed_.reserve(workload_.operation_count());
  clear();
}

void ReversedSchedule::clear(double room) {
  room_ = room;
  streams_.clear();
  for (FreeTime& link : links_) link.clear();
  if (!limits_.empty()) memory_.clear();
  decided_.assign(durations_.choices().count(), DeviceId());
  device_of_.assign(workload_.operation_count(), DeviceId());
  finishes_.assign(workload_.operation_count(), 0);
  placed_.clear();
  moved_ = false;
}

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

ReversedSchedule::Slot ReversedSchedule::slot_on(OperationId operation, DeviceId device) const {
  Slot slot{.device = device};
  double ready = 0;
  for (const Demand& demand : demands_) {
    ready = std::max(ready, demand.needed);
    if (demand.is_free || demand.device == device) continue;
    const double seconds = durations_.transfer_seconds(demand.buffer, device, demand.device);
    if (seconds == 0) continue;
    const FreeTime& link = links_[durations_.problem().machine.route(device, demand.device).index()];
    ready = std::max(ready, link.earliest(demand.needed, seconds) + seconds);
    slot.moving += seconds;
  }
  const double seconds = durations_.seconds(operation, device);
  slot.place = streams_.earliest(device, ready, seconds);
  slot.finish = slot.start() + seconds;
  if (!limits_.empty())
    slot.excess =
        std::max(0.0, memory_.held(device) + memory_.added(operation, device) - room_ * limits_[device.index()]);
  return slot;
}

ReversedSchedule::Slot ReversedSchedule::best_slot(OperationId operation, const SlotPrices& prices) {
  gather_demands(operation);
  const DeviceId& decided = decided_[durations_.choices().choice_of(operation)];
  SlotChoice choice(prices);
  if (decided.valid()) choice.offer(slot_on(operation, decided));
  else
    for (const DeviceId device : durations_.choices().devices(durations_.choices().choice_of(operation)))
      choice.offer(slot_on(operation, device));
  return choice.best();
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
  finishes_[operation.index()] = place.start + seconds;
  device_of_[operation.index()] = decided_[durations_.choices().choice_of(operation)] = slot.device;
  if (!limits_.empty()) memory_.place_backward(operation, slot.device);
  placed_.push_back(operation);
}

Plan ReversedSchedule::apply_to(Plan plan) const {
  HONE_CHECK(placed_.size() == workload_.operation_count(), "a schedule with operations left out");
  std::vector<OperationId> order(placed_.rbegin(), placed_.rend());
  std::ranges::stable_sort(order, std::greater(), [&](OperationId operation) { return finishes_[operation.index()]; });
  return scheduled_plan(std::move(plan), durations_.problem(),
                        {device_of_, order, moved_ ? LinkUse::some : LinkUse::none});
}

}  // namespace hone
