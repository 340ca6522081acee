#include "plan/methods/stage_search.h"

#include <gtest/gtest.h>

#include "plan/methods/memory_graph_test.h"
#include "plan/methods/plan_order.h"
#include "plan/simulate/simulated_cost.h"

namespace hone {
namespace {

TEST(StageSearch, CutsAgainWhereDevicesHeldTooMuch) {
  const Problem problem = random_memory_problem(1, 400, "p100-4");
  const std::unique_ptr<Task> task = make_task(problem, "place+schedule");
  const SimulatedCost cost(problem);
  Search search(problem, *task, cost, undecided_plan(problem), {.budget = {.evaluations = 20}, .show_progress = false});
  const Durations durations(problem);
  const MemoryItems items(problem.workload);
  const OrderMemory memory(problem.workload);
  const StageLines lines(durations, items, memory);
  StageSearch stages(search, lines, undecided_plan(problem));
  EXPECT_TRUE(stages.best().row.empty());
  stages.add(lines.along(order_of(memory, problem.workload, undecided_plan(problem))), Waiting::never);
  const double first = stages.best().cost.peak_bytes;
  stages.refine(1, 10);
  EXPECT_LT(stages.best().cost.peak_bytes, first);
  EXPECT_LE(search.evaluations(), 12);
  stages.refine(1, 1000);
  EXPECT_LE(search.evaluations(), 20);
  // What the search keeps has the least peak, and this the least smooth peak.
  const Cost kept = search.finish().cost;
  EXPECT_LE(kept.peak_bytes, stages.best().cost.peak_bytes);
  EXPECT_GE(kept.smooth_peak_bytes, stages.best().cost.smooth_peak_bytes);
}

}  // namespace
}  // namespace hone
