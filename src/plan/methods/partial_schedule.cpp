#include "plan/methods/partial_schedule.h"

#include <algorithm>

#include "base/error.h"
#include "plan/methods/scheduled_plan.h"

namespace hone {

PartialSchedule::PartialSchedule(const Durations& durations, Gaps gaps, std::vector<double> limits)
    : durations_(durations),
      workload_(durations.problem().workload),
      limits_(std::move(limits)),
      streams_(durations, gaps),
      links_(free_links(durations)),
      memory_(workload_, durations.problem().machine.device_count()),
      copy_begin_{0} {
  const Machine& machine = durations.problem().machine;
  for (std::size_t i = 0; i < workload_.buffer_count(); ++i) {
    const std::size_t most = std::min(workload_.readers(BufferId(i)).size(), machine.device_count() - 1);
    copy_begin_.push_back(copy_begin_.back() + static_cast<std::uint32_t>(most));
  }
  copies_.resize(copy_begin_.back());
  placed_.reserve(workload_.operation_count());
  clear();
}

void PartialSchedule::clear(double room) {
  room_ = room;
  streams_.clear();
  for (FreeTime& link : links_) link.clear();
  if (!limits_.empty()) memory_.clear();
  decided_.assign(durations_.choices().count(), DeviceId());
  device_of_.assign(workload_.operation_count(), DeviceId());
  starts_.assign(workload_.operation_count(), 0);
  finishes_.assign(workload_.operation_count(), 0);
  copy_count_.assign(workload_.buffer_count(), 0);
  placed_.clear();
  moved_ = false;
}

std::span<const DeviceId> PartialSchedule::devices(OperationId operation) const {
  const std::size_t choice = durations_.choices().choice_of(operation);
  if (decided_[choice].valid()) return {&decided_[choice], 1};
  return durations_.choices().devices(choice);
}

/// Of something that an operation reads, if it is sent now unless it was before.
PartialSchedule::Arrival PartialSchedule::arrival(const Read& read, DeviceId device) const {
  const DeviceId home = device_of_[read.other.index()];
  const double made = finishes_[read.other.index()];
  if (read.is_free || home == device) return {made, 0};
  for (const Copy& copy : copies(read.buffer))
    if (copy.device == device) return {copy.arrival, 0};
  const double seconds = durations_.transfer_seconds(read.buffer, home, device);
  if (seconds == 0) return {made, 0};
  const LinkId link = durations_.problem().machine.route(home, device);
  return {links_[link.index()].earliest(made, seconds) + seconds, seconds};
}

PartialSchedule::Slot PartialSchedule::slot_on(OperationId operation, DeviceId device) const {
  Slot slot{.device = device};
  double ready = 0;
  for (const Read& read : durations_.reads(operation)) {
    const Arrival input = arrival(read, device);
    ready = std::max(ready, input.seconds);
    slot.moving += input.moving;
  }
  const double seconds = durations_.seconds(operation, device);
  slot.place = streams_.earliest(device, ready, seconds);
  slot.finish = slot.start() + seconds;
  if (!limits_.empty())
    slot.excess =
        std::max(0.0, memory_.held(device) + memory_.added(operation, device) - room_ * limits_[device.index()]);
  return slot;
}

PartialSchedule::Slot PartialSchedule::best_slot(OperationId operation, const SlotPrices& prices) const {
  SlotChoice choice(prices);
  for (const DeviceId device : devices(operation)) choice.offer(slot_on(operation, device));
  return choice.best();
}

/// Whether anything had to be moved.
bool PartialSchedule::move_inputs(OperationId operation, DeviceId device) {
  bool moved = false;
  for (const Read& read : durations_.reads(operation)) {
    const Arrival input = arrival(read, device);
    if (input.moving == 0) continue;
    const LinkId link = durations_.problem().machine.route(device_of_[read.other.index()], device);
    links_[link.index()].occupy(input.seconds - input.moving, input.moving);
    copies_[copy_begin_[read.buffer.index()] + copy_count_[read.buffer.index()]++] = {device, input.seconds};
    moved = true;
  }
  return moved;
}

void PartialSchedule::place(OperationId operation, const Slot& slot) {
  const bool moved = move_inputs(operation, slot.device);
  moved_ |= moved;
  // Several inputs over one link arrive one after another, later than the slot knew.
  const Slot now = moved ? slot_on(operation, slot.device) : slot;
  streams_.occupy(now.place, durations_.seconds(operation, slot.device));
  starts_[operation.index()] = now.start();
  finishes_[operation.index()] = now.finish;
  device_of_[operation.index()] = slot.device;
  decided_[durations_.choices().choice_of(operation)] = slot.device;
  if (!limits_.empty()) memory_.place(operation, slot.device);
  placed_.push_back(operation);
}

Plan PartialSchedule::apply_to(Plan plan) const {
  HONE_CHECK(placed_.size() == workload_.operation_count(), "a schedule with operations left out");
  std::vector<OperationId> order = placed_;
  std::ranges::stable_sort(order, {}, [&](OperationId operation) { return starts_[operation.index()]; });
  return scheduled_plan(std::move(plan), durations_.problem(),
                        {device_of_, order, moved_ ? LinkUse::some : LinkUse::none});
}

}  // namespace hone
