#pragma once

#include <cstdint>
#include <vector>

#include "plan/problem/plan.h"

namespace hone {

/// How a plan is carried out, operation by operation.
struct Execution {
  struct Step {
    OperationId operation;
    DeviceId device;
    std::uint32_t stream = 0;
    std::uint32_t stage = 0;  // how often data changes device at most on its way to this operation
    friend bool operator==(const Step&, const Step&) = default;
  };

  std::vector<GroupId> groups;  // in the order in which they start, each after those whose stored buffers it reads
  std::vector<Step> steps;      // every operation once, by the order of their groups, producers before readers
};

/// What the simulator makes of a plan that `check` accepts. The steps are for runtimes that know no copies, for which
/// every operation runs at home. Whatever an operation reads from another device comes from an earlier stage; so all
/// operations of one device and stage can run as one piece, after those of the earlier stages.
Execution carry_out(const Workload& workload, const Machine& machine, const Plan& plan);

}  // namespace hone
