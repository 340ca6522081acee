#include "plan/methods/plan_order.h"

#include <queue>
#include <tuple>

namespace hone {

std::vector<OperationId> order_of(const OrderMemory& memory, const Workload& workload, const Plan& plan) {
  std::vector<std::size_t> position(memory.operation_count()), missing(memory.operation_count());
  for (std::size_t i = 0; i < position.size(); ++i) position[workload.topological_order()[i].index()] = i;
  using Ready = std::tuple<float, std::size_t, OperationId>;  // negative priority, position, operation
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  const auto offer = [&](OperationId operation) {
    ready.emplace(-plan.priority_of(plan.group(operation)), position[operation.index()], operation);
  };
  for (std::size_t i = 0; i < missing.size(); ++i) {
    missing[i] = memory.before(OperationId(i)).size();
    if (missing[i] == 0) offer(OperationId(i));
  }
  std::vector<OperationId> order;
  while (!ready.empty()) {
    const OperationId operation = std::get<OperationId>(ready.top());
    ready.pop();
    order.push_back(operation);
    for (const OperationId next : memory.after(operation))
      if (--missing[next.index()] == 0) offer(next);
  }
  return order;
}

Plan in_order(Plan plan, std::span<const OperationId> order) {
  plan.priority.resize(plan.device_of.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank)
    plan.priority[order[rank].index()] = -static_cast<float>(rank);
  return plan;
}

}  // namespace hone
