#include "plan/problem/plan.h"

namespace hone {

Plan plan_on_one_device(const Workload& workload) {
  Plan plan;
  plan.device_of.assign(workload.operation_count(), DeviceId(0));
  return plan;
}

}  // namespace hone
