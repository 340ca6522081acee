#include "plan/methods/scheduled_plan.h"

#include <algorithm>

namespace hone {
namespace {

/// A copy is as urgent as the first operation that reads it there.
std::vector<float> transfer_priorities(const Plan& plan, const Problem& problem) {
  const Workload& workload = problem.workload;
  const std::size_t devices = problem.machine.device_count();
  std::vector<float> priorities(workload.buffer_count() * devices, -static_cast<float>(plan.priority.size()));
  for (std::size_t i = 0; i < workload.buffer_count(); ++i)
    for (const OperationId reader : workload.readers(BufferId(i))) {
      float& urgent = priorities[i * devices + plan.device_of[reader.index()].index()];
      urgent = std::max(urgent, plan.priority[reader.index()]);
    }
  return priorities;
}

}  // namespace

Plan scheduled_plan(Plan plan, const Problem& problem, const DevicesAndOrder& schedule) {
  plan.group_of.clear();
  plan.copies.clear();
  plan.device_of.assign(schedule.device_of.begin(), schedule.device_of.end());
  plan.priority.resize(schedule.order.size());
  for (std::size_t rank = 0; rank < schedule.order.size(); ++rank)
    plan.priority[schedule.order[rank].index()] = -static_cast<float>(rank);
  if (schedule.links == LinkUse::some) plan.transfer_priority = transfer_priorities(plan, problem);
  return plan;
}

}  // namespace hone
