#include "plan/methods/device_clock.h"

#include <algorithm>

namespace hone {
namespace {

constexpr std::size_t kTicks = 1 << 13;
constexpr double kLongest = 2;  // times all operations one after another

}  // namespace

DeviceClock::DeviceClock(const Durations& durations)
    : durations_(durations),
      idle_(durations.problem().machine.device_count()),
      device_of_(durations.problem().workload.operation_count()),
      finish_(durations.problem().workload.operation_count()),
      started_(kTicks + 1) {
  double seconds = 0;
  for (std::size_t i = 0; i < finish_.size(); ++i) seconds += durations.mean_seconds(OperationId(i));
  if (seconds > 0) seconds_a_tick_ = kLongest * seconds / static_cast<double>(kTicks);
}

void DeviceClock::clear(Waiting waiting) {
  waiting_ = waiting;
  for (Idle& idle : idle_) {
    idle.gaps.clear();
    idle.end = 0;
  }
  std::ranges::fill(started_, 0);
}

std::size_t DeviceClock::tick_of(double seconds) const {
  return std::min(kTicks - 1, static_cast<std::size_t>(std::max(0.0, seconds / seconds_a_tick_)));
}

std::uint32_t DeviceClock::started_by(double seconds) const {
  std::uint32_t sum = 0;
  for (std::size_t i = tick_of(seconds) + 1; i > 0; i &= i - 1) sum += started_[i];
  return sum;
}

double DeviceClock::start_on(OperationId operation, DeviceId device) const {
  double ready = 0;
  for (const Durations::Read& read : durations_.reads(operation)) {
    const DeviceId home = device_of_[read.other.index()];
    const double moved = read.is_free ? 0 : durations_.transfer_seconds(read.buffer, home, device);
    ready = std::max(ready, finish_[read.other.index()] + moved);
  }
  const Idle& idle = idle_[device.index()];
  if (ready >= idle.end || waiting_ == Waiting::in_line) return std::max(ready, idle.end);
  const auto gap = std::ranges::upper_bound(idle.gaps, ready, {}, &Gap::end);
  return gap == idle.gaps.end() ? idle.end : std::max(ready, gap->begin);
}

Stay DeviceClock::stay(OperationId operation, DeviceId device, double start) const {
  const std::uint32_t first = started_by(start);
  return {first, std::max(first + 1, started_by(start + durations_.seconds(operation, device)))};
}

void DeviceClock::place(OperationId operation, DeviceId device, double start) {
  const double finish = start + durations_.seconds(operation, device);
  device_of_[operation.index()] = device;
  finish_[operation.index()] = finish;
  for (std::size_t i = tick_of(start) + 1; i <= kTicks; i += i & (~i + 1)) ++started_[i];
  Idle& idle = idle_[device.index()];
  if (start >= idle.end) {
    if (start > idle.end) idle.gaps.push_back({idle.end, start});
    idle.end = finish;
    return;
  }
  const auto gap = std::ranges::upper_bound(idle.gaps, start, {}, &Gap::end);
  if (gap == idle.gaps.end() || gap->begin > start) return;
  const Gap after{finish, gap->end};
  if (gap->begin < start) {
    gap->end = start;
    if (after.begin < after.end) idle.gaps.insert(gap + 1, after);
  } else if (after.begin < after.end) {
    *gap = after;
  } else {
    idle.gaps.erase(gap);
  }
}

}  // namespace hone
