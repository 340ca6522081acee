#include "plan/methods/aimed_neighbors.h"

#include <gtest/gtest.h>

#include "plan/fuse/random_loops_test.h"
#include "plan/simulate/simulated_cost.h"

namespace hone {
namespace {

/// Loops on three devices, as much of them in one kernel as may be.
struct AimedNeighborsTest : testing::Test {
  AimedNeighborsTest() {
    Rng rng(3);
    problem = random_loops(rng, 14);
    problem.machine.devices.push_back({"device:1", 0});
    problem.machine.devices.push_back({"device:2", 0});
    problem.machine.routes.assign(9, LinkId());
    problem.machine.links.push_back({.name = "link", .bytes_per_second = 1e3});
    for (std::size_t i = 0; i < 9; ++i)
      if (i % 4 != 0) problem.machine.routes[i] = LinkId(0);
    task = make_task(problem, "fuse-edges+place+schedule");
    center = task->encode(undecided_plan(problem));
    for (std::size_t i = 0; i < center.size(); ++i)
      if (task->sites()[i].field == PlanField::group) center[i] = 0.9F;
  }

  float device_key(std::span<const float> row, std::size_t operation) const {
    for (const std::uint32_t site : task->sites_about(OperationId(operation)))
      if (task->sites()[site].field == PlanField::device) return row[site];
    return -1;
  }

  Problem problem;
  std::unique_ptr<Task> task;
  Decisions center;
};

TEST_F(AimedNeighborsTest, OperationsOfAKernelMoveTogether) {
  const std::unique_ptr<Evaluator> evaluator = std::make_unique<SimulatedCost>(problem);
  Search search(problem, *task, *evaluator, undecided_plan(problem),
                {.budget = {.evaluations = 2000}, .seed = 1, .show_progress = false});
  Plan plan = undecided_plan(problem);
  task->apply(center, plan);
  ASSERT_LT(plan.group_count(), 14U);
  AimedNeighbors neighbors(search, {}, PlanField::device);
  std::size_t moved = 0;
  for (int batch = 0; batch < 20; ++batch) {
    neighbors.evaluate(search, center, 4);
    for (std::size_t i = 0; i < neighbors.count(); ++i)
      for (std::size_t one = 0; one < 14; ++one)
        for (std::size_t other = 0; other < one; ++other) {
          if (plan.group(OperationId(one)) != plan.group(OperationId(other))) continue;
          EXPECT_EQ(device_key(neighbors.row(i), one), device_key(neighbors.row(i), other));
          moved += device_key(neighbors.row(i), one) != device_key(center, one) ? 1 : 0;
        }
  }
  EXPECT_GT(moved, 0U);
}

}  // namespace
}  // namespace hone
