#pragma once

#include <cstdint>
#include <vector>

#include "plan/methods/durations.h"
#include "plan/methods/held_levels.h"

namespace hone {

/// When operations run that are placed in the order of their priority. Where no device ever waits, what is ready runs
/// in the first moment in which its device has nothing more urgent to do; else behind what was placed there before. An
/// estimate of what the simulator finds: devices have one stream, links are never busy, and what takes longer than a
/// device is idle delays nothing.
class DeviceClock {
 public:
  /// The durations must outlive it.
  explicit DeviceClock(const Durations& durations);

  /// Nothing is placed.
  void clear(Waiting waiting);
  /// Whatever it reads must have been placed.
  double start_on(OperationId operation, DeviceId device) const;
  /// Counted in those operations placed so far that have started before.
  Stay stay(OperationId operation, DeviceId device, double start) const;
  void place(OperationId operation, DeviceId device, double start);

 private:
  struct Gap {
    double begin = 0, end = 0;
  };
  struct Idle {
    std::vector<Gap> gaps;  // ascending
    double end = 0;         // of all that was placed
  };

  std::uint32_t started_by(double seconds) const;
  std::size_t tick_of(double seconds) const;

  const Durations& durations_;
  Waiting waiting_ = Waiting::never;
  std::vector<Idle> idle_;           // by device
  std::vector<DeviceId> device_of_;  // by operation
  std::vector<double> finish_;       // by operation
  double seconds_a_tick_ = 1;
  std::vector<std::uint32_t> started_;  // sums of starts by tick, as a binary indexed tree
};

}  // namespace hone
