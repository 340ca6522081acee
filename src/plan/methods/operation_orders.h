#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "plan/simulate/order_memory.h"

namespace hone {

/// A rule that puts all operations into an order for one device without looking back.
struct OperationOrderRule {
  std::string_view name;
  std::vector<OperationId> (*make)(const OrderMemory& memory);
};

/// The rules XLA tries (its hlo_memory_scheduler): `list`, `depth-first` and `post-order`.
std::span<const OperationOrderRule> operation_order_rules();

}  // namespace hone
