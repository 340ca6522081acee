#pragma once

#include <span>
#include <vector>

#include "plan/methods/durations.h"
#include "plan/methods/held_levels.h"
#include "plan/problem/timeline.h"

namespace hone {

/// When operations ran in a plan that was carried out, and when one would run on another device: in the first moment
/// in which it is ready and the device has nothing more urgent to do; where devices wait, behind what started there
/// before it did.
class PlayedRuns {
 public:
  /// The plan must be without groups; the durations must outlive this.
  PlayedRuns(const Durations& durations, const Plan& plan, const Timeline& timeline);

  std::span<const Stay> stays() const { return stays_; }
  /// The operations as they started.
  std::span<const OperationId> order() const { return order_; }
  Stay stay_on(OperationId operation, DeviceId device) const;

 private:
  struct Run {
    double start = 0, finish = 0;
    float priority = 0;
  };
  /// What one device did.
  struct DeviceRuns {
    std::vector<Run> runs;
    std::vector<std::uint32_t> idle;  // by run: the first from there on after which it had nothing to do
    std::vector<float> least_urgent;  // by block of runs
  };

  void note_idleness(DeviceRuns& device) const;
  static double first_chance(const DeviceRuns& device, double ready, float priority);
  static double turn_after(const DeviceRuns& device, double ready, double start);
  std::uint32_t started_before(double seconds) const;

  const Durations& durations_;
  Waiting waiting_;
  std::vector<DeviceId> device_of_;  // by operation
  std::vector<float> priority_;      // by operation
  std::vector<OperationId> order_;
  std::vector<Stay> stays_;        // by operation
  std::vector<double> starts_;     // of all, ascending
  std::vector<double> finish_of_;  // by operation
  std::vector<DeviceRuns> devices_;
};

}  // namespace hone
