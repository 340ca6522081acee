#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/id.h"
#include "graph/ir/element_type.h"
#include "plan/machine/curve.h"
#include "plan/machine/operation_class.h"

namespace hone {

using DeviceId = Id<struct DeviceTag>;
using LinkId = Id<struct LinkTag>;

/// A machine has at most this many devices, so that a set of devices is one word.
inline constexpr std::size_t kMaxDevices = 64;

class KernelTimes;

/// What every device of one kind can do.
struct DeviceKind {
  std::string name;              // `p100`; matches Workload::device_kinds
  std::string model;             // `NVIDIA Tesla P100 16 GB`, for reports
  double memory_bytes = 0;       // capacity
  double bytes_per_second = 0;   // peak rate of the device's own memory
  double launch_seconds = 0;     // what starting a group costs, however small the group
  std::size_t streams = 1;       // how many groups it runs at a time
  double scratch_bytes = 65536;  // fast memory that a group can keep a row in
  double live_values = 64;       // that a group can work with before its speed suffers: registers, ports
  bool is_host = false;          // its memory is where tensors pass through: moving one costs only the other side
  std::vector<std::pair<ElementType, double>>
      flops;  // peak operations a second by element type; float32 is always there
  std::array<EfficiencyCurve, kOperationClasses> flops_efficiency;
  std::array<EfficiencyCurve, kOperationClasses> bytes_efficiency;
  std::array<bool, kOperationClasses> is_measured{};  // whether these curves are, rather than estimated
  std::shared_ptr<const KernelTimes> kernel_times;    // measured, which count before all estimates; null: none

  /// Peak operations a second in `element`: a type the description does not list runs at the rate of float32.
  double peak_flops(ElementType element) const;
  friend bool operator==(const DeviceKind&, const DeviceKind&) = default;
};

/// One device: `p100:3`.
struct Device {
  std::string name;
  std::size_t kind = 0;  // index into Machine::kinds
  friend bool operator==(const Device&, const Device&) = default;
};

/// A queue through which tensors travel one after another. Several pairs of devices may share one: a PCIe root, a port.
struct Link {
  std::string name;
  double latency_seconds = 0;
  double bytes_per_second = std::numeric_limits<double>::infinity();  // infinite: free
  friend bool operator==(const Link&, const Link&) = default;

  double seconds(double bytes) const { return latency_seconds + bytes / bytes_per_second; }
};

/// The hardware a plan is for: devices, and for every ordered pair of them the link that joins them.
struct Machine {
  std::string name;
  std::string summary;  // one line for lists
  std::vector<DeviceKind> kinds;
  std::vector<Device> devices;
  std::vector<Link> links;
  std::vector<LinkId> routes;  // by sender * devices + receiver; none on the diagonal
  bool runs_planned_kernels =
      false;  // there is a runtime that makes the kernels of a plan, so that they are worth deciding

  std::size_t device_count() const { return devices.size(); }
  const Device& device(DeviceId id) const { return devices[id.index()]; }
  const DeviceKind& kind(DeviceId id) const { return kinds[device(id).kind]; }
  const Link& link(LinkId id) const { return links[id.index()]; }
  LinkId route(DeviceId from, DeviceId to) const { return routes[from.index() * devices.size() + to.index()]; }
  std::optional<DeviceId> find_device(std::string_view device_name) const;
  friend bool operator==(const Machine&, const Machine&) = default;
};

/// Something to run, as far as its speed goes.
struct Effort {
  OperationClass operation_class = OperationClass::opaque;
  ElementType element = ElementType::float32;
  double flops = 0;
  double bytes = 0;
};

/// The two sides of the roofline for one operation on one kind of device: how long its arithmetic takes, and each
/// byte it moves.
struct Roofline {
  double compute_seconds = 0;
  double seconds_per_byte = 0;
};
Roofline roofline(const Machine& machine, std::size_t kind, const Effort& effort);

/// Time of an operation that runs alone: the longer of arithmetic and memory traffic, and the launch. Views are free:
/// they only rename bytes.
double seconds(const Machine& machine, DeviceId device, const Effort& effort);

}  // namespace hone
