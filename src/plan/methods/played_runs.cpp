#include "plan/methods/played_runs.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace hone {
namespace {

constexpr std::size_t kRunsOfBlock = 64;

}  // namespace

PlayedRuns::PlayedRuns(const Durations& durations, const Plan& plan, const Timeline& timeline)
    : durations_(durations),
      waiting_(plan.waiting),
      device_of_(plan.device_of),
      priority_(plan.priority),
      stays_(timeline.runs.size()),
      finish_of_(timeline.runs.size()),
      devices_(durations.problem().machine.device_count()) {
  priority_.resize(stays_.size());
  for (const Timeline::Run& run : timeline.runs) {
    const OperationId operation(run.group.index());
    order_.push_back(operation);
    starts_.push_back(run.start);
    finish_of_[operation.index()] = run.finish;
    devices_[run.device.index()].runs.push_back({run.start, run.finish, priority_[operation.index()]});
  }
  for (std::uint32_t rank = 0; rank < order_.size(); ++rank) {
    const std::size_t operation = order_[rank].index();
    stays_[operation] = {rank, std::max(rank + 1, started_before(finish_of_[operation]))};
  }
  for (DeviceRuns& device : devices_) note_idleness(device);
}

void PlayedRuns::note_idleness(DeviceRuns& device) const {
  const std::vector<Run>& runs = device.runs;
  device.idle.resize(runs.size());
  for (std::size_t i = runs.size(); i-- > 0;) {
    const bool is_idle = i + 1 == runs.size() || runs[i].finish < runs[i + 1].start;
    device.idle[i] = is_idle ? static_cast<std::uint32_t>(i) : device.idle[i + 1];
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i % kRunsOfBlock == 0) device.least_urgent.push_back(std::numeric_limits<float>::infinity());
    device.least_urgent.back() = std::min(device.least_urgent.back(), runs[i].priority);
  }
}

std::uint32_t PlayedRuns::started_before(double seconds) const {
  return static_cast<std::uint32_t>(std::ranges::lower_bound(starts_, seconds) - starts_.begin());
}

/// When something of this priority would start that is ready then.
double PlayedRuns::first_chance(const DeviceRuns& device, double ready, float priority) {
  const std::vector<Run>& runs = device.runs;
  const auto next = static_cast<std::size_t>(std::ranges::lower_bound(runs, ready, {}, &Run::start) - runs.begin());
  if (next == 0 ? runs.empty() || runs.front().start > ready : runs[next - 1].finish < ready) return ready;
  const std::size_t idle = device.idle[next == 0 ? 0 : next - 1];
  for (std::size_t i = next; i <= idle;) {
    if (i % kRunsOfBlock == 0 && device.least_urgent[i / kRunsOfBlock] >= priority) {
      i += kRunsOfBlock;
      continue;
    }
    if (runs[i].priority < priority) return runs[i].start;
    ++i;
  }
  return std::max(ready, runs[idle].finish);
}

/// When something that is ready then has its turn, given when it started elsewhere.
double PlayedRuns::turn_after(const DeviceRuns& device, double ready, double start) {
  const auto next = std::ranges::lower_bound(device.runs, start, {}, &Run::start);
  return next == device.runs.begin() ? ready : std::max(ready, std::prev(next)->finish);
}

Stay PlayedRuns::stay_on(OperationId operation, DeviceId device) const {
  if (device == device_of_[operation.index()]) return stays_[operation.index()];
  double ready = 0;
  for (const Durations::Read& read : durations_.reads(operation)) {
    const DeviceId home = device_of_[read.other.index()];
    const double moved = read.is_free ? 0 : durations_.transfer_seconds(read.buffer, home, device);
    ready = std::max(ready, finish_of_[read.other.index()] + moved);
  }
  const DeviceRuns& there = devices_[device.index()];
  const double start = waiting_ == Waiting::in_line ? turn_after(there, ready, starts_[stays_[operation.index()].start])
                                                    : first_chance(there, ready, priority_[operation.index()]);
  const double finish = start + durations_.seconds(operation, device);
  const std::uint32_t first = std::min(started_before(start), static_cast<std::uint32_t>(order_.size() - 1));
  return {first, std::max(first + 1, started_before(finish))};
}

}  // namespace hone
