#pragma once

#include <vector>

#include "plan/problem/workload.h"

namespace hone {

/// All work in the order the workload itself lists it.
inline std::vector<WorkId> listed(const Workload& workload) {
  return {workload.topological_order().begin(), workload.topological_order().end()};
}

}  // namespace hone
