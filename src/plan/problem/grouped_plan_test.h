#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "plan/problem/plan.h"

namespace hone {

/// A plan with these groups, all on one device.
inline Plan with_groups(const std::vector<std::uint32_t>& groups, std::vector<Plan::Copy> copies = {}) {
  Plan plan;
  for (const std::uint32_t group : groups) {
    plan.group_of.emplace_back(group);
    if (plan.device_of.size() <= group) plan.device_of.resize(group + 1, DeviceId(0));
  }
  plan.copies = std::move(copies);
  return plan;
}

}  // namespace hone
