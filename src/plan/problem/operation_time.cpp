#include "plan/problem/operation_time.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace hone {
namespace {

constexpr double kCannotRun = std::numeric_limits<double>::quiet_NaN();

/// Which column of Work::seconds holds for each kind of device. A source with one column speaks of any device.
std::vector<std::size_t> columns(const Workload& workload, const Machine& machine) {
  std::vector<std::size_t> result;
  for (const DeviceKind& kind : machine.kinds) {
    const auto it = std::ranges::find(workload.device_kinds, kind.name);
    result.push_back(workload.device_kinds.size() == 1 ? 0
                                                       : static_cast<std::size_t>(it - workload.device_kinds.begin()));
  }
  return result;
}

WorkTime time_of(const Work& work, const Machine& machine, std::size_t kind, std::size_t column) {
  WorkTime time;
  if (!work.seconds.empty()) {
    time.stated_seconds = column < work.seconds.size() ? work.seconds[column] : kCannotRun;
    return time;
  }
  if (work.work_class == WorkClass::view) return time;
  const Roofline limits = roofline(machine, kind, {work.work_class, work.element, work.flops, work.bytes});
  time.compute_seconds = limits.compute_seconds;
  time.seconds_per_byte = limits.seconds_per_byte;
  time.launch_seconds = machine.kinds[kind].launch_seconds;
  return time;
}

}  // namespace

WorkTimes::WorkTimes(const Workload& workload, const Machine& machine) : kinds_(machine.kinds.size()) {
  const std::vector<std::size_t> column_of = columns(workload, machine);
  times_.reserve(workload.work_count() * kinds_);
  for (std::size_t i = 0; i < workload.work_count(); ++i) {
    const Work& work = workload.work(WorkId(i));
    bool runs_somewhere = false;
    for (std::size_t kind = 0; kind < kinds_; ++kind) {
      times_.push_back(time_of(work, machine, kind, column_of[kind]));
      runs_somewhere |= !std::isnan(times_.back().stated_seconds);
    }
    if (!runs_somewhere)
      fail_usage("{}: no device of machine {} can run work '{}'", workload.name, machine.name, work.name);
  }
}

}  // namespace hone
