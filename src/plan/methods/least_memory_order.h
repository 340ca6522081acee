#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/simulate/order_memory.h"

namespace hone {

/// An order of all work on one device, and how good it is.
struct OrderOutcome {
  std::vector<WorkId> order;
  std::int64_t peak_bytes = 0;
  std::int64_t bound_bytes = 0;  // no order takes less
};

/// The order of least peak memory that rules and cuts lead to; never worse than the given one.
OrderOutcome least_memory_order(const OrderMemory& memory, std::span<const WorkId> given);

}  // namespace hone
