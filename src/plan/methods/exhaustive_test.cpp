#include <gtest/gtest.h>

#include "bench/random_problem.h"
#include "plan/machine/machine_file.h"
#include "plan/solve/solve.h"

namespace hone {
namespace {

Solution solve_whole(const Problem& problem, const char* optimizer, std::uint64_t evaluations) {
  return solve(problem, "place+schedule", optimizer, {.budget = {.evaluations = evaluations}});
}

TEST(Exhaustive, NothingElseFindsBetterAndItSaysSo) {
  for (std::uint64_t seed = 0; seed < 8; ++seed)
    for (const Objective& objective : {Objective::seconds, Objective::peak_bytes}) {
      const Problem problem{
          .workload = layered_training_workload(6, seed), .machine = load_machine("regal-2"), .objective = objective};
      const Solution best = solve_whole(problem, "exhaustive", 1'000'000);
      EXPECT_TRUE(best.optimal());
      EXPECT_LE(best.score.value, solve_whole(problem, "random", 5'000).score.value);
      EXPECT_LE(best.score.value, solve_whole(problem, "brkga", 5'000).score.value);
    }
}

TEST(Exhaustive, ProvesNothingWhenItIsStopped) {
  const Problem problem{.workload = layered_training_workload(40, 1), .machine = load_machine("regal-2")};
  EXPECT_FALSE(solve_whole(problem, "exhaustive", 500).optimal());
}

}  // namespace
}  // namespace hone
