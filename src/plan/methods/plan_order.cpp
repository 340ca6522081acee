#include "plan/methods/plan_order.h"

#include <queue>
#include <tuple>

namespace hone {

std::vector<WorkId> order_of(const OrderMemory& memory, const Workload& workload, const Plan& plan) {
  std::vector<std::size_t> position(memory.work_count()), missing(memory.work_count());
  for (std::size_t i = 0; i < position.size(); ++i) position[workload.topological_order()[i].index()] = i;
  using Ready = std::tuple<float, std::size_t, WorkId>;  // negative priority, position, work
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  const auto offer = [&](WorkId work) {
    ready.emplace(-plan.priority_of(plan.group(work)), position[work.index()], work);
  };
  for (std::size_t i = 0; i < missing.size(); ++i) {
    missing[i] = memory.before(WorkId(i)).size();
    if (missing[i] == 0) offer(WorkId(i));
  }
  std::vector<WorkId> order;
  while (!ready.empty()) {
    const WorkId work = std::get<WorkId>(ready.top());
    ready.pop();
    order.push_back(work);
    for (const WorkId next : memory.after(work))
      if (--missing[next.index()] == 0) offer(next);
  }
  return order;
}

Plan in_order(Plan plan, std::span<const WorkId> order) {
  plan.priority.resize(plan.device_of.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank)
    plan.priority[order[rank].index()] = -static_cast<float>(rank);
  return plan;
}

}  // namespace hone
