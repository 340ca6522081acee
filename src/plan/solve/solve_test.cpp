#include "plan/solve/solve.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "bench/random_problem.h"
#include "plan/search/paired_plan_test.h"
#include "plan/simulate/objective_cost.h"

namespace hone {
namespace {

Problem problem_to_solve(const Objective& objective) {
  Rng rng(8);
  Workload workload = random_workload(rng, 30);
  return {.workload = std::move(workload), .machine = random_machine(rng), .objective = objective};
}

TEST(Solve, IsTaskEvaluatorSearchAndOptimiserInOne) {
  for (const Objective& objective : {Objective::seconds_in_memory, Objective::peak_bytes, Objective::throughput}) {
    const Problem problem = problem_to_solve(objective);
    const SearchSettings settings{.budget = {.evaluations = 200}, .seed = 3};
    const std::unique_ptr<Task> task = make_task(problem, "place+schedule");
    Search search(problem, *task, ObjectiveCost(problem), undecided_plan(problem), settings);
    make_optimizer("random")->run(search);
    const Solution expected = search.finish();
    const Solution solution = solve(problem, "place+schedule", "random", settings);
    EXPECT_EQ(solution.plan, expected.plan);
    EXPECT_EQ(solution.cost, expected.cost);
    EXPECT_EQ(solution.evaluations, 200U);
  }
}

TEST(Solve, BeginsWhereItIsTold) {
  const Problem problem = problem_to_solve(Objective::seconds);
  const Plan start = paired_plan(problem);
  const Solver solver(problem, "place+schedule", start);
  EXPECT_EQ(solver.before(), ObjectiveCost(problem).evaluate(start));
  const std::unique_ptr<Optimizer> optimizer = make_optimizer("random");
  const Solution solution = solver.solve(*optimizer, {.budget = {.evaluations = 50}});
  EXPECT_EQ(solution.plan.group_of, start.group_of);
  EXPECT_EQ(solution.curve.front().score, score(problem.objective, solver.before()));
}

TEST(Solve, JudgesShardingProblemsByTheirOwnCost) {
  ShardingProblem sharding{.name = "one", .usage_limit = 5};
  sharding.nodes.push_back({.begin = 0, .end = 1, .strategies = {{.cost = 4, .usage = 1}, {.cost = 1, .usage = 9}}});
  const Problem problem{
      .workload = {}, .machine = {}, .sharding = std::make_shared<const ShardingProblem>(std::move(sharding))};
  const Solution solution = solve(problem, "shard", "random", {.budget = {.evaluations = 20}});
  EXPECT_EQ(solution.score.value, 4) << "the cheaper strategy does not fit";
}

TEST(Solve, UnknownNamesAreRefused) {
  const Problem problem = problem_to_solve(Objective::seconds);
  EXPECT_THROW(solve(problem, "dance", "random", {}), InputError);
  EXPECT_THROW(solve(problem, "place", "dance", {}), InputError);
}

}  // namespace
}  // namespace hone
