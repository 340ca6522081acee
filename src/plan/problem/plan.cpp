#include "plan/problem/plan.h"

namespace hone {

Plan by_operation(const Plan& plan, const Workload& workload) {
  Plan alone = plan;
  if (plan.group_of.empty()) return alone;
  alone.group_of.clear();
  alone.copies.clear();
  alone.device_of.clear();
  alone.priority.clear();
  for (std::size_t i = 0; i < workload.operation_count(); ++i) {
    alone.device_of.push_back(plan.device(OperationId(i)));
    if (!plan.priority.empty()) alone.priority.push_back(plan.priority_of(plan.group(OperationId(i))));
  }
  return alone;
}

Plan plan_on_one_device(const Workload& workload) {
  Plan plan;
  plan.device_of.assign(workload.operation_count(), DeviceId(0));
  return plan;
}

}  // namespace hone
