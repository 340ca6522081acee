#include "plan/simulate/plain_cost.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "bench/random_problem.h"
#include "plan/simulate/simulated_cost.h"

namespace hone {
namespace {

TEST(PlainCost, AgreesWithTheSimulatorToTheLastBit) {
  Rng rng(5);
  int compared = 0;
  while (compared < 1000) {
    Workload workload = random_workload(rng, 1 + rng.below(24));
    const Problem problem{.workload = std::move(workload), .machine = random_machine(rng)};
    Plan plan = random_plan(rng, problem.workload, problem.machine);
    if (!plan.group_of.empty()) continue;
    SimulatedCost simulator(problem);
    const Cost cost = simulator.evaluate(plan);
    if (cost.obstacle == Obstacle::device) continue;
    ASSERT_EQ(PlainCost(problem).evaluate(plan), cost);
    ++compared;
  }
}

}  // namespace
}  // namespace hone
