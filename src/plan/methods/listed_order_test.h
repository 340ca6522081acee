#pragma once

#include <vector>

#include "plan/problem/workload.h"

namespace hone {

/// All operations in the order the workload itself lists it.
inline std::vector<OperationId> listed(const Workload& workload) {
  return {workload.topological_order().begin(), workload.topological_order().end()};
}

}  // namespace hone
