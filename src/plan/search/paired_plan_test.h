#pragma once

#include "plan/problem/problem.h"

namespace hone {

/// A plan whose groups are pairs of operations next to one another in topological order, so that none wait in a circle,
/// each on the first device that can run it.
inline Plan paired_plan(const Problem& problem) {
  Plan plan;
  const std::span<const OperationId> order = problem.workload.topological_order();
  plan.group_of.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) plan.group_of[order[i].index()] = GroupId(i / 2);
  const DeviceChoices choices(problem, plan);
  plan.device_of.resize((order.size() + 1) / 2);
  for (const OperationId operation : order)
    plan.device_of[plan.group(operation).index()] = choices.devices(choices.choice_of(operation)).front();
  return plan;
}

}  // namespace hone
