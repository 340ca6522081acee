#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/simulate/order_memory.h"

namespace hone {

/// An order of all operations on one device, and how good it is.
struct OrderOutcome {
  std::vector<OperationId> order;
  std::int64_t peak_bytes = 0;
  std::int64_t bound_bytes = 0;  // no order takes less
};

/// The order of least peak memory that rules and cuts lead to; never worse than the given one.
OrderOutcome least_memory_order(const OrderMemory& memory, std::span<const OperationId> given);

}  // namespace hone
