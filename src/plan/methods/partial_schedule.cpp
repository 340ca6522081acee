#include "plan/methods/partial_schedule.h"

#include <algorithm>

namespace hone {

PartialSchedule::PartialSchedule(const Durations& durations, Gaps gaps, std::vector<double> limits)
    : ScheduleState(durations, gaps, std::move(limits)), copy_begin_{0} {
  const std::size_t others = durations.problem().machine.device_count() - 1;
  for (std::size_t i = 0; i < workload_.buffer_count(); ++i) {
    const std::size_t most = std::min(workload_.readers(BufferId(i)).size(), others);
    copy_begin_.push_back(copy_begin_.back() + static_cast<std::uint32_t>(most));
  }
  copies_.resize(copy_begin_.back());
  clear();
}

void PartialSchedule::clear(double room) {
  start_anew(room);
  starts_.assign(workload_.operation_count(), 0);
  copy_count_.assign(workload_.buffer_count(), 0);
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

PartialSchedule::Gathered PartialSchedule::gathered(OperationId operation, DeviceId device) const {
  Gathered all;
  for (const Read& read : durations_.reads(operation)) {
    const Arrival input = arrival(read, device);
    all.ready = std::max(all.ready, input.seconds);
    all.moving += input.moving;
  }
  return all;
}

PartialSchedule::Slot PartialSchedule::best_slot(OperationId operation, const SlotPrices& prices) const {
  double made = 0;
  for (const Read& read : durations_.reads(operation)) made = std::max(made, finishes_[read.other.index()]);
  return best_of(operation, made, prices, [&](DeviceId device) { return gathered(operation, device); });
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
  if (!limits_.empty()) memory_.place(operation, slot.device);
  note(operation, slot.device, now.finish);
}

Plan PartialSchedule::apply_to(Plan plan) const {
  std::vector<OperationId> order = placed_;
  std::ranges::stable_sort(order, {}, [&](OperationId operation) { return starts_[operation.index()]; });
  return applied_to(std::move(plan), order);
}

}  // namespace hone
