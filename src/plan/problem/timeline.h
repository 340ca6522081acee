#pragma once

#include <cstdint>
#include <vector>

#include "plan/problem/cost.h"
#include "plan/problem/plan.h"

namespace hone {

/// Everything that happens when a plan is carried out, in the order in which it starts.
struct Timeline {
  /// A group on a device.
  struct Run {
    GroupId group;
    DeviceId device;
    std::uint32_t stream = 0;
    double start = 0, finish = 0;
    friend bool operator==(const Run&, const Run&) = default;
  };
  /// A tensor on its way between devices.
  struct Transfer {
    BufferId buffer;
    DeviceId from, to;
    LinkId link;
    double start = 0, finish = 0;
    friend bool operator==(const Transfer&, const Transfer&) = default;
  };
  /// What a device holds from `seconds` on, until its next level.
  struct Level {
    double seconds = 0;
    double bytes = 0;
    friend bool operator==(const Level&, const Level&) = default;
  };

  Cost cost;
  std::vector<Run> runs;
  std::vector<Transfer> transfers;
  std::vector<std::vector<Level>>
      levels;                      // by device; the first is at time 0, each later one differs from the one before
  std::vector<double> peak_bytes;  // by device
  friend bool operator==(const Timeline&, const Timeline&) = default;
};

}  // namespace hone
