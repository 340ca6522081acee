#include "plan/methods/schedule_state.h"

#include <algorithm>

#include "base/error.h"

namespace hone {

ScheduleState::ScheduleState(const Durations& durations, DeviceStreams::Gaps gaps, std::vector<double> limits)
    : durations_(durations),
      workload_(durations.problem().workload),
      limits_(std::move(limits)),
      streams_(durations, gaps),
      links_(free_links(durations)),
      memory_(workload_, durations.problem().machine.device_count()) {
  placed_.reserve(workload_.operation_count());
}

void ScheduleState::start_anew(double room) {
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

std::span<const DeviceId> ScheduleState::devices(OperationId operation) const {
  const std::size_t choice = durations_.choices().choice_of(operation);
  if (decided_[choice].valid()) return {&decided_[choice], 1};
  return durations_.choices().devices(choice);
}

ScheduleSlot ScheduleState::slot_from(OperationId operation, DeviceId device, const Gathered& gathered) const {
  const double seconds = durations_.seconds(operation, device);
  Slot slot{.device = device, .moving = gathered.moving};
  slot.place = streams_.earliest(device, gathered.ready, seconds);
  slot.finish = slot.start() + seconds;
  if (limits_.empty()) return slot;
  const double room = room_ * limits_[device.index()] - memory_.held(device);
  if (memory_.most_added(operation) > room) slot.excess = std::max(0.0, memory_.added(operation, device) - room);
  return slot;
}

void ScheduleState::note(OperationId operation, DeviceId device, double finish) {
  finishes_[operation.index()] = finish;
  device_of_[operation.index()] = decided_[durations_.choices().choice_of(operation)] = device;
  placed_.push_back(operation);
}

Plan ScheduleState::applied_to(Plan plan, std::span<const OperationId> order) const {
  HONE_CHECK(placed_.size() == workload_.operation_count(), "a schedule with operations left out");
  return scheduled_plan(std::move(plan), durations_.problem(),
                        {device_of_, order, moved_ ? LinkUse::some : LinkUse::none});
}

}  // namespace hone
