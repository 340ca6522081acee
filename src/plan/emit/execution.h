#pragma once

#include <cstdint>
#include <vector>

#include "plan/problem/plan.h"

namespace hone {

/// How a plan is carried out, work by work.
struct Execution {
  struct Step {
    WorkId work;
    DeviceId device;
    std::uint32_t stream = 0;
    std::uint32_t stage = 0;  // how often data changes device at most on its way to this work
    friend bool operator==(const Step&, const Step&) = default;
  };

  std::vector<Step> steps;  // in the order in which they start, producers before readers
};

/// What the simulator makes of a plan that `check` accepts. Works of one group share a stage, and whatever a work reads
/// from another device comes from an earlier stage; so all works of one device and stage can run as one piece, after
/// those of the earlier stages.
Execution carry_out(const Workload& workload, const Machine& machine, const Plan& plan);

}  // namespace hone
