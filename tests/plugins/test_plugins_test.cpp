// A task, an optimiser and a machine that exist only here are used by name like those that ship.

#include <gtest/gtest.h>

#include <filesystem>

#include "base/output_file.h"
#include "bench/random_problem.h"
#include "plan/machine/machine_file.h"
#include "plan/solve/solve.h"
#include "test_machine.h"

namespace hone {
namespace {

Problem problem_on_test_machine() {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "test-pair.toml";
  OutputFile file(path);
  file.write(test_machine_text());
  file.commit();
  Problem problem{.workload = layered_training_workload(40, 1), .machine = load_machine(path.string())};
  std::filesystem::remove(path);
  problem.objective = Objective::seconds;
  return problem;
}

TEST(TestPlugins, AnOptimiserAndAMachineAreUsedByName) {
  const Problem problem = problem_on_test_machine();
  ASSERT_EQ(problem.machine.name, "test-pair");
  const Solution solution = solve(problem, "place", "test-coordinates", {.budget = {.evaluations = 1000}});
  EXPECT_LT(solution.score, solution.curve.front().score);
  EXPECT_GT(solution.evaluations, 40U);
}

TEST(TestPlugins, ATaskIsUsedByNameAloneAndJoined) {
  const Problem problem = problem_on_test_machine();
  const Solution alone = solve(problem, "test-direction", "random", {.budget = {.evaluations = 20}, .seed = 1});
  EXPECT_EQ(make_task(problem, "test-direction")->sites().size(), 1U);
  EXPECT_EQ(alone.evaluations, 20U);
  EXPECT_EQ(alone.plan.device_of, undecided_plan(problem).device_of);
  const Solution joined =
      solve(problem, "place+test-direction", "test-coordinates", {.budget = {.evaluations = 1000}, .seed = 1});
  EXPECT_LT(joined.score, joined.curve.front().score);
}

}  // namespace
}  // namespace hone
