#include "plan/problem/plan_instances.h"

#include <algorithm>

#include "base/distinct.h"

namespace hone {

PlanInstances::PlanInstances(const Workload& workload, const Plan& plan) : workload_(workload) {
  std::vector<std::vector<GroupId>> groups(workload.operation_count());
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i].push_back(plan.group(OperationId(i)));
  for (const Plan::Copy& copy : plan.copies) groups[copy.operation.index()].push_back(copy.group);
  std::vector<std::vector<OperationId>> instances(plan.group_count());
  for (const OperationId operation : workload.topological_order())
    for (const GroupId group : groups[operation.index()]) instances[group.index()].push_back(operation);
  groups_ = FlatLists<GroupId>(groups);
  instances_ = FlatLists<OperationId>(instances);
}

bool PlanInstances::holds(GroupId group, OperationId operation) const {
  return std::ranges::find(groups(operation), group) != groups(operation).end();
}

std::vector<GroupId> PlanInstances::readers_outside(BufferId buffer) const {
  const OperationId producer = workload_.buffer(buffer).producer;
  std::vector<GroupId> outside;
  for (const OperationId reader : workload_.readers(buffer))
    for (const GroupId group : groups(reader))
      if (!producer.valid() || !holds(group, producer)) outside.push_back(group);
  return distinct(std::move(outside));
}

bool PlanInstances::is_stored(BufferId buffer) const {
  if (!workload_.buffer(buffer).producer.valid()) return false;
  return workload_.buffer(buffer).is_output || workload_.readers(buffer).empty() || !readers_outside(buffer).empty();
}

}  // namespace hone
