#pragma once

#include <span>
#include <vector>

#include "plan/problem/plan.h"
#include "plan/simulate/order_memory.h"

namespace hone {

/// The order in which a plan without groups runs all operations when everything is on one device: of all that is ready
/// the highest priority first, ties by topological position.
std::vector<OperationId> order_of(const OrderMemory& memory, const Workload& workload, const Plan& plan);

/// The same plan with priorities that make it run all operations of a device in this order.
Plan in_order(Plan plan, std::span<const OperationId> order);

}  // namespace hone
