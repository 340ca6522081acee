#pragma once

#include <set>
#include <vector>

#include "plan/machine/machine.h"
#include "plan/problem/operation_time.h"
#include "plan/problem/workload.h"

namespace hone {

/// Operations that run as one on a kind of device.
struct SlowKernel {
  const Workload& workload;
  const Machine& machine;
  std::size_t kind = 0;
  std::vector<OperationId> instances;  // in topological order
  std::set<BufferId> stored;
};

/// The rules in group_time.h a second time, in the most literal way; only for checking them.
double time_kernel_slowly(const SlowKernel& kernel, const OperationTimes& times);

}  // namespace hone
