#pragma once

#include <span>
#include <vector>

#include "plan/problem/problem.h"

namespace hone {

/// Whether a schedule moves anything in more than no time.
enum class LinkUse { none, some };

/// Where everything runs and in which order it starts, what is read before its readers.
struct DevicesAndOrder {
  std::span<const DeviceId> device_of;  // by operation
  std::span<const OperationId> order;
  LinkUse links = LinkUse::some;
};

/// `plan` with these devices and priorities: what starts earlier first, and of copies those that are read earlier.
Plan scheduled_plan(Plan plan, const Problem& problem, const DevicesAndOrder& schedule);

}  // namespace hone
