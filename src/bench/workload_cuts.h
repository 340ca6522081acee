#pragma once

#include <cstddef>

#include "plan/problem/workload.h"

namespace hone {

/// So many operations of a workload from a place in its topological order on, as a workload of their own: what they
/// read from others are inputs, what others read are results.
Workload cut_out(const Workload& workload, std::size_t first, std::size_t count);

/// A workload beside itself, as often as it takes to have so many operations.
Workload tiled(const Workload& workload, std::size_t operations);

}  // namespace hone
