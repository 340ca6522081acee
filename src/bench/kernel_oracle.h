#pragma once

#include <set>
#include <vector>

#include "plan/machine/machine.h"
#include "plan/problem/workload.h"

namespace hone {

/// The rules in group_time.h a second time, in the most literal way; only for checking them. `instances` are in
/// topological order.
double time_kernel_slowly(const Workload& workload, const Machine& machine, const std::vector<OperationId>& instances,
                          const std::set<BufferId>& stored, std::size_t kind);

}  // namespace hone
