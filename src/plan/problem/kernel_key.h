#pragma once

#include <cstdint>

#include "plan/problem/group_time.h"

namespace hone {

/// A number that two kernels share only if they compute alike: the same operators in the same order with the same
/// costs and loops, which read one another in the same way and store the same. Names and what lies around do not count,
/// so that what was timed once is known wherever it occurs, in other graphs too. Allocates nothing.
std::uint64_t kernel_key(const Workload& workload, const KernelView& kernel);

/// The same of an operation that runs alone and stores all that it makes.
std::uint64_t kernel_key(const Workload& workload, OperationId operation);

}  // namespace hone
