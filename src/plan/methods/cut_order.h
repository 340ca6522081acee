#pragma once

#include <cstdint>
#include <vector>

#include "plan/simulate/least_cut.h"

namespace hone {

/// Which of all cheapest cuts an order follows.
enum class CutSide { fewest_before, most_before };

/// An order by divide and conquer from another one: the operation at which it takes most memory runs where it takes
/// least (see LeastCut), and what comes before and what comes after are put in order in the same way, each for itself.
/// What takes no more than `goal` is left as it is.
std::vector<OperationId> order_by_cuts(const OrderMemory& memory, std::vector<OperationId> order, CutSide side,
                                       std::int64_t goal);

}  // namespace hone
