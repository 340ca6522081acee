#include <queue>

#include "core/optimizer.h"
#include "optimize/least_memory_order.h"

namespace hone {
namespace {

/// The order in which a plan runs all work when everything is on one device: of all that is ready the highest priority
/// first, ties by topological position.
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

/// Runs all work, where the best plan so far has it, in the order of least peak memory on one device.
class MemoryOrderOptimizer final : public Optimizer {
 public:
  void run(Search& search) override {
    Plan plan = search.best_plan();
    if (!plan.group_of.empty()) return;  // groups have an order of their own
    const OrderMemory memory(search.problem().workload);
    const OrderOutcome outcome = least_memory_order(memory, order_of(memory, search.problem().workload, plan));
    plan.priority.resize(plan.device_of.size());
    for (std::size_t rank = 0; rank < outcome.order.size(); ++rank)
      plan.priority[outcome.order[rank].index()] = -static_cast<float>(rank);
    search.evaluate(search.task().encode(plan));
  }
};

const OptimizerKind memory_order_kind("memory-order", "the order of least memory on one device, by cheapest cuts",
                                      [](std::string_view parameters) {
                                        Parameters().parse(parameters);
                                        return std::make_unique<MemoryOrderOptimizer>();
                                      });

}  // namespace
}  // namespace hone
