#pragma once

#include <cstdint>
#include <vector>

#include "plan/simulate/order_memory.h"

namespace hone {

/// Improves an order by exact search in windows around the operation at which it takes most, as long as that helps and
/// the peak is above `goal`. Looks at so many sets of operations at most.
std::vector<OperationId> order_by_windows(const OrderMemory& memory, std::vector<OperationId> order, std::int64_t goal,
                                          std::size_t states);

}  // namespace hone
