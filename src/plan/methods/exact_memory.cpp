// The least peak memory on one device, with proof where the graph allows it. However operations overlap in time, a
// device holds no less than when they run one by one in the order of their starts: so what holds of orders holds of
// plans.

#include <cmath>

#include "plan/methods/exact_order.h"
#include "plan/methods/plan_order.h"
#include "plan/methods/window_order.h"
#include "plan/search/optimizer.h"

namespace hone {
namespace {

struct ExactMemoryParameters {
  std::int64_t states = 50'000;
  std::int64_t operations = 1000;

  Parameters list() {
    return Parameters()
        .add("states", &states, {1, 1e7}, "sets of operations to look at before it gives up and turns to windows")
        .add("operations", &operations, {1, 1e4}, "of larger graphs it looks at windows only");
  }
};

class ExactMemory final : public Optimizer {
 public:
  explicit ExactMemory(const ExactMemoryParameters& parameters) : parameters_(parameters) {}

  void run(Search& search) override {
    const Problem& problem = search.problem();
    const bool applies = problem.machine.devices.size() == 1 && problem.objective.lead() == Measure::memory &&
                         problem.workload.operation_count() > 0;
    if (!applies || search.spent()) return;
    const Plan plan = by_operation(search.best_plan(), problem.workload);
    const OrderMemory memory(problem.workload);
    std::vector<OperationId> order = order_of(memory, problem.workload, plan);
    const bool is_alone = problem.objective == Objective::peak_bytes;
    std::int64_t bound = is_alone ? static_cast<std::int64_t>(std::ceil(search.bound())) : memory.resident_bytes();
    const auto states = static_cast<std::size_t>(parameters_.states);
    if (order.size() <= static_cast<std::size_t>(parameters_.operations)) {
      const std::int64_t peak = memory.peak_bytes(order);
      ExactOrder found =
          exact_order(memory, order, {0, order.size()}, {.floor = bound, .ceiling = peak, .states = states});
      bound = std::max(bound, found.bound_bytes);
      if (!found.operations.empty()) order = std::move(found.operations);
    }
    order = order_by_windows(memory, std::move(order), bound, states);
    search.evaluate(search.task().encode(in_order(plan, order)));
    if (is_alone) search.prove(static_cast<double>(bound));
  }

  Parameters parameters() override { return parameters_.list(); }

 private:
  ExactMemoryParameters parameters_;
};

const OptimizerKind exact_memory_kind = OptimizerKind::with_parameters<ExactMemory, ExactMemoryParameters>(
    "exact-memory", "the order of least memory on one device by exact search, with proof where the graph allows it");

}  // namespace
}  // namespace hone
