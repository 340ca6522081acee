#include "plan/machine/machine.h"

#include <algorithm>

namespace hone {
namespace {

/// Rate at which devices of a kind take part in a collective: their fastest way out, or their own memory when there is
/// only one device.
double collective_rate(const Machine& machine, std::size_t kind) {
  double best = 0;
  for (std::size_t from = 0; from < machine.device_count(); ++from)
    for (std::size_t to = 0; to < machine.device_count(); ++to)
      if (from != to && machine.devices[from].kind == kind)
        best = std::max(best, machine.link(machine.route(DeviceId(from), DeviceId(to))).bytes_per_second);
  return best > 0 ? best : machine.kinds[kind].bytes_per_second;
}

}  // namespace

double DeviceKind::peak_flops(ElementType element) const {
  double rate = 0;
  for (const auto& [type, peak] : flops) {
    if (type == element) return peak;
    if (type == ElementType::float32) rate = peak;
  }
  return rate;
}

std::optional<DeviceId> Machine::find_device(std::string_view device_name) const {
  const auto it = std::ranges::find(devices, device_name, &Device::name);
  if (it == devices.end()) return std::nullopt;
  return DeviceId(static_cast<std::size_t>(it - devices.begin()));
}

Roofline roofline(const Machine& machine, std::size_t kind_index, const Effort& effort) {
  const DeviceKind& kind = machine.kinds[kind_index];
  const auto curve = static_cast<std::size_t>(effort.operation_class);
  const double rate = effort.operation_class == OperationClass::collective
                          ? collective_rate(machine, kind_index)
                          : kind.bytes_per_second * kind.bytes_efficiency[curve].at(effort.bytes);
  Roofline result{.seconds_per_byte = 1 / rate};
  if (effort.flops > 0)
    result.compute_seconds =
        effort.flops / (kind.peak_flops(effort.element) * kind.flops_efficiency[curve].at(effort.flops));
  return result;
}

double seconds(const Machine& machine, DeviceId device, const Effort& effort) {
  if (effort.operation_class == OperationClass::view) return 0;
  const Roofline limits = roofline(machine, machine.device(device).kind, effort);
  return std::max(limits.compute_seconds, effort.bytes * limits.seconds_per_byte) + machine.kind(device).launch_seconds;
}

}  // namespace hone
