#include "plan/methods/partial_schedule.h"

#include <algorithm>
#include <tuple>

#include "base/error.h"

namespace hone {

PartialSchedule::PartialSchedule(const Durations& durations, Gaps gaps, std::vector<double> limits)
    : durations_(durations),
      workload_(durations.problem().workload),
      gaps_(gaps),
      limits_(std::move(limits)),
      stream_begin_{0},
      links_(durations.problem().machine.links.size()),
      memory_(workload_, durations.problem().machine.device_count()),
      copy_begin_{0} {
  const Machine& machine = durations.problem().machine;
  for (const Device& device : machine.devices)
    stream_begin_.push_back(stream_begin_.back() + static_cast<std::uint32_t>(machine.kinds[device.kind].streams));
  streams_.resize(stream_begin_.back());
  for (std::size_t i = 0; i < workload_.buffer_count(); ++i) {
    const std::size_t most = std::min(workload_.readers(BufferId(i)).size(), machine.device_count() - 1);
    copy_begin_.push_back(copy_begin_.back() + static_cast<std::uint32_t>(most));
  }
  copies_.resize(copy_begin_.back());
  placed_.reserve(workload_.operation_count());
  clear();
}

void PartialSchedule::clear() {
  for (FreeTime& stream : streams_) stream.clear();
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

/// When something that an operation reads lies on a device, if it is sent now unless it was before.
double PartialSchedule::arrival(const Durations::Read& read, DeviceId device) const {
  const DeviceId home = device_of_[read.other.index()];
  const double made = finishes_[read.other.index()];
  if (read.is_free || home == device) return made;
  for (const Copy& copy : copies(read.buffer))
    if (copy.device == device) return copy.arrival;
  const double seconds = durations_.transfer_seconds(read.buffer, home, device);
  if (seconds == 0) return made;
  return links_[durations_.problem().machine.route(home, device).index()].earliest(made, seconds) + seconds;
}

PartialSchedule::Slot PartialSchedule::slot_on(OperationId operation, DeviceId device) const {
  double ready = 0;
  for (const Durations::Read& read : durations_.reads(operation)) ready = std::max(ready, arrival(read, device));
  const double seconds = durations_.seconds(operation, device);
  Slot best{.device = device};
  for (std::uint32_t stream = stream_begin_[device.index()]; stream < stream_begin_[device.index() + 1]; ++stream) {
    const FreeTime& free = streams_[stream];
    const double start = gaps_ == Gaps::filled ? free.earliest(ready, seconds) : std::max(ready, free.end());
    const double idle = free.idle_before(start);
    if (stream > stream_begin_[device.index()] && std::tie(start, idle) >= std::tie(best.start, best.idle)) continue;
    best.stream = stream;
    best.start = start;
    best.idle = idle;
  }
  best.finish = best.start + seconds;
  if (!limits_.empty())
    best.excess = std::max(0.0, memory_.held(device) + memory_.added(operation, device) - limits_[device.index()]);
  return best;
}

/// Of equal finishes the one that leaves the least idle before it: what comes later needs the longer gap.
PartialSchedule::Slot PartialSchedule::earliest_finish(OperationId operation) const {
  const std::span<const DeviceId> able = devices(operation);
  Slot best = slot_on(operation, able.front());
  for (const DeviceId device : able.subspan(1)) {
    const Slot slot = slot_on(operation, device);
    if (std::tie(slot.excess, slot.finish, slot.idle) < std::tie(best.excess, best.finish, best.idle)) best = slot;
  }
  return best;
}

/// Whether anything had to be moved.
bool PartialSchedule::move_inputs(OperationId operation, DeviceId device) {
  bool moved = false;
  for (const Durations::Read& read : durations_.reads(operation)) {
    const DeviceId home = device_of_[read.other.index()];
    if (read.is_free || home == device) continue;
    const double seconds = durations_.transfer_seconds(read.buffer, home, device);
    const std::span<const Copy> there = copies(read.buffer);
    if (seconds == 0 || std::ranges::find(there, device, &Copy::device) != there.end()) continue;
    FreeTime& link = links_[durations_.problem().machine.route(home, device).index()];
    const double start = link.earliest(finishes_[read.other.index()], seconds);
    link.occupy(start, seconds);
    copies_[copy_begin_[read.buffer.index()] + copy_count_[read.buffer.index()]++] = {device, start + seconds};
    moved = true;
  }
  return moved;
}

void PartialSchedule::place(OperationId operation, const Slot& slot) {
  const bool moved = move_inputs(operation, slot.device);
  moved_ |= moved;
  // Several inputs over one link arrive one after another, later than the slot knew.
  const Slot now = moved ? slot_on(operation, slot.device) : slot;
  streams_[now.stream].occupy(now.start, durations_.seconds(operation, slot.device));
  starts_[operation.index()] = now.start;
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
  plan.group_of.clear();
  plan.copies.clear();
  plan.device_of = device_of_;
  plan.priority.resize(order.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank)
    plan.priority[order[rank].index()] = -static_cast<float>(rank);
  if (moved_) plan.transfer_priority = transfer_priorities(plan.priority);
  return plan;
}

/// A copy is as urgent as the first operation that reads it there.
std::vector<float> PartialSchedule::transfer_priorities(std::span<const float> priority) const {
  const std::size_t devices = durations_.problem().machine.device_count();
  std::vector<float> priorities(workload_.buffer_count() * devices, -static_cast<float>(priority.size()));
  for (std::size_t i = 0; i < workload_.buffer_count(); ++i)
    for (const OperationId reader : workload_.readers(BufferId(i))) {
      float& urgent = priorities[i * devices + device_of_[reader.index()].index()];
      urgent = std::max(urgent, priority[reader.index()]);
    }
  return priorities;
}

}  // namespace hone
