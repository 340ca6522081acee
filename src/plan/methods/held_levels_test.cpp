#include "plan/methods/held_levels.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "plan/methods/memory_graph_test.h"
#include "plan/methods/played_runs.h"
#include "plan/simulate/order_memory.h"
#include "plan/simulate/simulated_cost.h"

namespace hone {
namespace {

constexpr std::size_t kFew = 100;  // operations: each has a moment of its own

std::vector<Stay> one_after_another(const Workload& workload) {
  std::vector<Stay> stays(workload.operation_count());
  for (std::uint32_t i = 0; i < stays.size(); ++i) stays[workload.topological_order()[i].index()] = {i, i + 1};
  return stays;
}

TEST(HeldLevels, AgreeWithTheMemoryOfAnOrderOnOneDevice) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    const Workload workload = random_memory_graph(rng, kFew, 3);
    const MemoryItems items(workload);
    HeldLevels levels(items, kFew, 1);
    levels.clear(one_after_another(workload));
    for (const OperationId operation : workload.topological_order())
      levels.place(operation, DeviceId(0), levels.stay(operation));
    const auto peak = static_cast<double>(OrderMemory(workload).peak_bytes(workload.topological_order()));
    EXPECT_NEAR(levels.peak_bytes(), peak, 1e-6);
    levels.settle(one_after_another(workload), std::vector<DeviceId>(kFew, DeviceId(0)));
    EXPECT_NEAR(levels.peak_bytes(), peak, 1e-6);
  }
}

/// Where there are no aliases and transfers are free.
TEST(HeldLevels, OfAPlanThatWasCarriedOutAreThoseOfTheSimulator) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Problem problem = random_memory_problem(seed, kFew, "regal-2");
    Rng rng(seed);
    Plan plan = undecided_plan(problem);
    for (DeviceId& device : plan.device_of) device = DeviceId(rng.below(2));
    const Timeline timeline = *SimulatedCost(problem).trace(plan);
    const Durations durations(problem);
    const PlayedRuns runs(durations, plan, timeline);
    const MemoryItems items(problem.workload);
    HeldLevels levels(items, kFew, 2);
    levels.clear(one_after_another(problem.workload));
    levels.settle(runs.stays(), plan.device_of);
    EXPECT_NEAR(levels.peak_bytes(), timeline.cost.peak_bytes, 0.05 * timeline.cost.peak_bytes) << seed;
  }
}

TEST(HeldLevels, GrowByWhatWasForetold) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    const Workload workload = random_memory_graph(rng, kFew, 1);
    const MemoryItems items(workload);
    HeldLevels levels(items, kFew, 3);
    levels.clear(one_after_another(workload));
    for (const OperationId operation : workload.topological_order()) {
      const DeviceId device(rng.below(3));
      const double before = levels.smooth_peak(), growth = levels.growth(operation, device, levels.stay(operation));
      levels.place(operation, device, levels.stay(operation));
      EXPECT_NEAR(levels.smooth_peak() - before, growth, 1e-9 * std::max(1.0, levels.smooth_peak()));
    }
  }
}

TEST(HeldLevels, WhatIsRemovedAndPutBackLeavesNoTrace) {
  Rng rng(1);
  const Workload workload = random_memory_graph(rng, kFew, 3);
  const MemoryItems items(workload);
  HeldLevels levels(items, kFew, 2);
  levels.clear(one_after_another(workload));
  for (const OperationId operation : workload.topological_order())
    levels.place(operation, DeviceId(rng.below(2)), levels.stay(operation));
  const double peak = levels.smooth_peak();
  for (int round = 0; round < 50; ++round) {
    const OperationId operation(rng.below(kFew));
    const DeviceId device = levels.device_of(operation);
    levels.remove(operation);
    levels.place(operation, DeviceId(1 - device.index()), {0, 1});
    levels.remove(operation);
    levels.place(operation, device, one_after_another(workload)[operation.index()]);
    EXPECT_NEAR(levels.smooth_peak(), peak, 1e-9 * peak);
  }
}

}  // namespace
}  // namespace hone
