#include "plan/methods/least_memory_order.h"
#include "plan/methods/plan_order.h"
#include "plan/search/optimizer.h"

namespace hone {
namespace {

/// Runs all work, where the best plan so far has it, in the order of least peak memory on one device.
class MemoryOrderOptimizer final : public Optimizer {
 public:
  void run(Search& search) override {
    const Problem& problem = search.problem();
    const Plan plan = by_operation(search.best_plan(), problem.workload);
    const OrderMemory memory(problem.workload);
    const OrderOutcome outcome = least_memory_order(memory, order_of(memory, problem.workload, plan));
    search.evaluate(search.task().encode(in_order(plan, outcome.order)));
    if (problem.machine.devices.size() == 1 && problem.objective == Objective::peak_bytes)
      search.prove(static_cast<double>(outcome.bound_bytes));
  }
};

const OptimizerKind memory_order_kind("memory-order", "the order of least memory on one device, by cheapest cuts",
                                      [](std::string_view parameters) {
                                        Parameters().parse(parameters);
                                        return std::make_unique<MemoryOrderOptimizer>();
                                      });

}  // namespace
}  // namespace hone
