#pragma once

#include <span>
#include <vector>

#include "plan/simulate/plan_layout.h"
#include "plan/simulate/transfer_times.h"

namespace hone {

/// What each device has to do for one sample when samples follow one another through a plan; the largest load is the
/// time a sample of the pipeline takes (Tarnawski et al., "Efficient algorithms for device placement of DNN graph
/// operators", NeurIPS 2020). The load of a device is the sum of the seconds of its groups, of each buffer it sends,
/// once, and of each buffer it receives. Order does not matter.
///
/// A device holds the weights and inputs its groups read, the buffers they make and the copies it receives, all at
/// once: with several samples under way nothing can be given back early.
class DeviceLoads {
 public:
  explicit DeviceLoads(const SimulatorTables& tables);

  void measure(const PlanLayout& layout);

  // By device, of the plan measured last.
  std::span<const double> seconds() const { return seconds_; }
  std::span<const double> bytes() const { return bytes_; }

 private:
  std::vector<double> seconds_, bytes_;
};

}  // namespace hone
