#pragma once

#include <cstdint>

namespace hone {

/// Why a plan cannot be carried out.
enum class Obstacle : std::uint8_t {
  none,
  memory,  // a device would hold more than its capacity; Cost::overflow_bytes says by how much
  device,  // a group is placed on no device of the machine, or on one that cannot run it
  cycle,   // groups wait for one another
};

/// What carrying out a plan costs.
struct Cost {
  double seconds = 0;            // until the last group has finished; infinite when it never does
  double peak_bytes = 0;         // most that any one device holds at any time
  double overflow_bytes = 0;     // sum over devices of what their peak exceeds their capacity by
  double smooth_peak_bytes = 0;  // see SmoothPeak
  Obstacle obstacle = Obstacle::none;
  // Only where the objective asks for them:
  double load_seconds = 0;     // largest load of a device, see DeviceLoads
  double latency_seconds = 0;  // of one sample, see CallLatency

  bool feasible() const { return obstacle == Obstacle::none; }
  friend bool operator==(const Cost&, const Cost&) = default;
};

}  // namespace hone
