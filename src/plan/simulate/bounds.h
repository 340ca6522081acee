#pragma once

#include "plan/machine/machine.h"
#include "plan/problem/workload.h"
#include "plan/simulate/interval_bound.h"

namespace hone {

/// Whether the plans that a bound speaks of may fuse operations into groups; fewer things are certain when they may.
enum class Fusion { none, allowed };

/// What no plan for a workload on a machine can do better than. Every figure holds by itself; all are rounded down by a
/// billionth, as a sum in another order may come out that much larger.
struct Bounds {
  double critical_path_seconds = 0;  // longest chain of operations, each on its fastest device
  double total_work_seconds = 0;     // all operations on its fastest device, spread evenly over all streams
  double interval_seconds = 0;       // what must be done within some interval, spread evenly over all streams
  double working_set_bytes = 0;      // largest set of buffers one operation needs at once
  double kept_bytes = 0;             // weights, inputs and results, spread evenly over all devices
  double cut_bytes = 0;  // most that must be alive while some operation runs, spread evenly over all devices
  Fusion fusion = Fusion::none;

  double seconds() const;
  double peak_bytes() const;
};

/// Whole, if all operations, wherever they run, and all transfers take whole seconds; then everything happens at one.
Times times_of(const Workload& workload, const Machine& machine);

Bounds lower_bounds(const Workload& workload, const Machine& machine, Fusion fusion);

}  // namespace hone
