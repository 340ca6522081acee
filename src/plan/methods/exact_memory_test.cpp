#include <gtest/gtest.h>

#include "bench/random_problem.h"
#include "plan/machine/machine_file.h"
#include "plan/solve/solve.h"

namespace hone {
namespace {

Solution solve_order(const Problem& problem, const char* optimizer) {
  return solve(problem, "schedule", optimizer, {});
}

Problem on_one_device(Workload workload) {
  return {.workload = std::move(workload), .machine = load_machine("h200-1"), .objective = Objective::peak_bytes};
}

TEST(ExactMemory, AgreesWithTryingEverything) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Problem problem = on_one_device(layered_training_workload(8, seed));
    const Solution found = solve_order(problem, "exact-memory");
    EXPECT_TRUE(found.optimal()) << seed;
    EXPECT_EQ(found.score.value, solve_order(problem, "exhaustive").score.value) << seed;
  }
}

TEST(ExactMemory, ProvesGraphsThatCannotBeEnumerated) {
  int better = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Problem problem = on_one_device(layered_training_workload(60, seed));
    const Solution rule = solve_order(problem, "memory-order");
    const Solution found = solve_order(problem, "memory-order+exact-memory");
    EXPECT_TRUE(found.optimal()) << seed;
    EXPECT_LE(found.score.value, rule.score.value) << seed;
    EXPECT_GE(found.bound, rule.bound) << seed;
    better += rule.optimal() ? 0 : 1;
  }
  EXPECT_GT(better, 0);
}

TEST(ExactMemory, WindowsImproveWhatIsTooLargeAndProveNothing) {
  int better = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Problem problem = on_one_device(layered_training_workload(80, seed));
    const Solution best = solve_order(problem, "exact-memory");
    const Solution found = solve_order(problem, "exact-memory:operations=10");
    EXPECT_LE(found.bound, best.score.value) << seed;
    EXPECT_GE(found.score.value, best.score.value) << seed;
    better += found.score < found.curve.front().score ? 1 : 0;
  }
  EXPECT_GT(better, 0);
}

TEST(ExactMemory, LeavesSeveralDevicesAlone) {
  Problem problem = on_one_device(layered_training_workload(20, 1));
  problem.machine = load_machine("regal-2");
  EXPECT_EQ(solve_order(problem, "exact-memory").evaluations, 1U);
}

}  // namespace
}  // namespace hone
