#include "plan/problem/operation_time.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "plan/machine/kernel_times.h"
#include "plan/problem/kernel_key.h"

namespace hone {
namespace {

constexpr double kCannotRun = std::numeric_limits<double>::quiet_NaN();

/// Which column of Operation::seconds holds for each kind of device. A source with one column speaks of any device.
std::vector<std::size_t> columns(const Workload& workload, const Machine& machine) {
  std::vector<std::size_t> result;
  for (const DeviceKind& kind : machine.kinds) {
    const auto it = std::ranges::find(workload.device_kinds, kind.name);
    result.push_back(workload.device_kinds.size() == 1 ? 0
                                                       : static_cast<std::size_t>(it - workload.device_kinds.begin()));
  }
  return result;
}

OperationTime time_of(const Operation& operation, const Machine& machine, std::size_t kind, std::size_t column) {
  OperationTime time;
  if (!operation.seconds.empty()) {
    time.stated_seconds = column < operation.seconds.size() ? operation.seconds[column] : kCannotRun;
    return time;
  }
  if (operation.operation_class == OperationClass::view) return time;
  const Roofline limits =
      roofline(machine, kind, {operation.operation_class, operation.element, operation.flops, operation.bytes});
  time.compute_seconds = limits.compute_seconds;
  time.seconds_per_byte = limits.seconds_per_byte;
  time.launch_seconds = machine.kinds[kind].launch_seconds;
  return time;
}

/// The same, multiplied so that the operation alone takes as long as was measured.
OperationTime as_measured(OperationTime time, double measured, double bytes) {
  const double estimated = time.alone(bytes);
  if (estimated <= 0) return {.launch_seconds = measured};
  time.measured_over_estimated = measured / estimated;
  time.compute_seconds *= time.measured_over_estimated;
  time.seconds_per_byte *= time.measured_over_estimated;
  time.launch_seconds *= time.measured_over_estimated;
  return time;
}

std::optional<double> measured_alone(const Workload& workload, OperationId operation, const DeviceKind& kind) {
  if (!kind.kernel_times || !workload.operation(operation).seconds.empty()) return std::nullopt;
  return kind.kernel_times->seconds(kernel_key(workload, operation));
}

}  // namespace

OperationTimes::OperationTimes(const Workload& workload, const Machine& machine) : kinds_(machine.kinds.size()) {
  const std::vector<std::size_t> column_of = columns(workload, machine);
  times_.reserve(workload.operation_count() * kinds_);
  for (std::size_t i = 0; i < workload.operation_count(); ++i) {
    const Operation& operation = workload.operation(OperationId(i));
    bool runs_somewhere = false;
    for (std::size_t kind = 0; kind < kinds_; ++kind) {
      times_.push_back(time_of(operation, machine, kind, column_of[kind]));
      if (const auto measured = measured_alone(workload, OperationId(i), machine.kinds[kind]))
        times_.back() = as_measured(times_.back(), *measured, operation.bytes);
      runs_somewhere |= !std::isnan(times_.back().stated_seconds);
    }
    if (!runs_somewhere)
      fail_usage("{}: no device of machine {} can run operation '{}'", workload.name, machine.name, operation.name);
  }
}

}  // namespace hone
