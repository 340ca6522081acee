#pragma once

#include "plan/problem/timeline.h"

namespace hone {

/// The rules in simulator.h a second time, in the most literal way: sets and maps, everything looked up again at every
/// step. Slow; only for checking the simulator.
Timeline simulate_slowly(const Workload& workload, const Machine& machine, const Plan& plan);

}  // namespace hone
