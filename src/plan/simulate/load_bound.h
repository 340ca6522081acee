#pragma once

#include "plan/problem/problem.h"

namespace hone {

/// Seconds that no plan without fused groups can have as its largest load (see DeviceLoads), if it fits into memory.
double load_bound(const Problem& problem);

}  // namespace hone
