#include "plan/methods/reversed_schedule.h"

#include <algorithm>
#include <tuple>

namespace hone {

ReversedSchedule::ReversedSchedule(const Durations& durations) : durations_(durations), stream_begin_{0} {
  const Machine& machine = durations.problem().machine;
  for (const Device& device : machine.devices)
    stream_begin_.push_back(stream_begin_.back() + machine.kinds[device.kind].streams);
  streams_.resize(stream_begin_.back());
}

void ReversedSchedule::fill(std::span<const OperationId> order) {
  for (FreeTime& stream : streams_) stream.clear();
  decided_.assign(durations_.choices().count(), DeviceId());
  device_of_.assign(order.size(), DeviceId());
  remaining_.assign(order.size(), 0);
  for (const OperationId operation : order) place(operation);
}

double ReversedSchedule::ready(OperationId operation, DeviceId device) const {
  double latest = 0;
  for (const Durations::Read& read : durations_.read_by(operation)) {
    const DeviceId there = device_of_[read.other.index()];
    const double moving = read.is_free ? 0 : durations_.transfer_seconds(read.buffer, device, there);
    latest = std::max(latest, remaining_[read.other.index()] + moving);
  }
  return latest;
}

ReversedSchedule::Slot ReversedSchedule::slot_on(OperationId operation, DeviceId device) const {
  const double seconds = durations_.seconds(operation, device);
  const double ready_at = ready(operation, device);
  Slot best;
  for (std::size_t stream = stream_begin_[device.index()]; stream < stream_begin_[device.index() + 1]; ++stream) {
    const double end = streams_[stream].earliest(ready_at, seconds);
    const Slot slot{stream, end, end + seconds, streams_[stream].idle_before(end)};
    if (stream == stream_begin_[device.index()] || std::tie(slot.end, slot.idle) < std::tie(best.end, best.idle))
      best = slot;
  }
  return best;
}

void ReversedSchedule::place(OperationId operation) {
  const std::size_t choice = durations_.choices().choice_of(operation);
  std::span<const DeviceId> able = durations_.choices().devices(choice);
  if (decided_[choice].valid()) able = {&decided_[choice], 1};
  Slot best;
  DeviceId where;
  for (const DeviceId device : able) {
    const Slot slot = slot_on(operation, device);
    if (where.valid() && std::tie(slot.start, slot.idle) >= std::tie(best.start, best.idle)) continue;
    best = slot;
    where = device;
  }
  streams_[best.stream].occupy(best.end, best.start - best.end);
  decided_[choice] = device_of_[operation.index()] = where;
  remaining_[operation.index()] = best.start;
}

}  // namespace hone
