#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "plan/simulate/order_memory.h"

namespace hone {

/// A rule that puts all work into an order for one device without looking back.
struct WorkOrderRule {
  std::string_view name;
  std::vector<WorkId> (*make)(const OrderMemory& memory);
};

/// The rules XLA tries (its hlo_memory_scheduler): `list`, `depth-first` and `post-order`.
std::span<const WorkOrderRule> work_order_rules();

}  // namespace hone
