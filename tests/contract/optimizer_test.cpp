// What every optimiser promises, for all that are registered and all kinds of task.

#include "plan/search/optimizer.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "bench/random_problem.h"
#include "plan/problem/check.h"
#include "plan/search/paired_plan_test.h"
#include "plan/simulate/objective_cost.h"

namespace hone {
namespace {

constexpr std::uint64_t kEvaluations = 300;

Problem random_problem(std::uint64_t seed, const Objective& objective) {
  Rng rng(seed);
  Workload workload = random_workload(rng, 30);
  return {.workload = std::move(workload), .machine = random_machine(rng), .objective = objective};
}

/// An instance of one optimiser working on one task.
struct Instance {
  std::string_view optimizer;
  const Problem& problem;
  std::string tasks = "place+schedule+transfers";

  Solution solve(std::uint64_t seed, std::size_t threads) const {
    const std::unique_ptr<Task> task = make_task(problem, tasks);
    Search search(problem, *task, ObjectiveCost(problem), undecided_plan(problem),
                  {.budget = {.evaluations = kEvaluations}, .seed = seed, .threads = threads});
    make_optimizer(optimizer)->run(search);
    return search.finish();
  }
};

template <class Body>
void for_each_instance(Body body) {
  for (const OptimizerKind* kind : OptimizerKind::all())
    for (const Objective& objective :
         {Objective::seconds_in_memory, Objective::seconds, Objective::peak_bytes, Objective::throughput,
          Objective::latency, Objective::parse("fit,memory"), Objective::parse("seconds*0.7+throughput*0.3")})
      for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        SCOPED_TRACE(fmt::format("{} for {} on problem {}", kind->name(), name_of(objective), seed));
        const Problem problem = random_problem(seed, objective);
        body(Instance{.optimizer = kind->name(), .problem = problem});
      }
}

TEST(OptimizerContract, LeavesAValidPlanThatCostsWhatItSays) {
  for_each_instance([](const Instance& instance) {
    const Solution solution = instance.solve(1, 1);
    EXPECT_EQ(check(instance.problem.workload, instance.problem.machine, solution.plan), std::nullopt);
    EXPECT_EQ(ObjectiveCost(instance.problem).evaluate(solution.plan), solution.cost);
    EXPECT_EQ(score(instance.problem.objective, solution.cost), solution.score);
  });
}

TEST(OptimizerContract, FindsTheSamePlanOnAnyNumberOfThreads) {
  for_each_instance([](const Instance& instance) {
    const Solution alone = instance.solve(7, 1);
    const Solution together = instance.solve(7, 2);
    EXPECT_EQ(alone.plan, together.plan);
    EXPECT_EQ(alone.evaluations, together.evaluations);
  });
}

TEST(OptimizerContract, NeverEndsWorseThanItBegan) {
  for_each_instance([](const Instance& instance) {
    const Cost start = ObjectiveCost(instance.problem).evaluate(undecided_plan(instance.problem));
    EXPECT_LE(instance.solve(3, 1).score, score(instance.problem.objective, start));
  });
}

TEST(OptimizerContract, StopsWithinItsBudget) {
  for_each_instance([](const Instance& instance) { EXPECT_LE(instance.solve(1, 2).evaluations, kEvaluations); });
}

TEST(OptimizerContract, OperationsOnEveryTask) {
  const Problem problem = random_problem(5, Objective::seconds);
  for (const OptimizerKind* kind : OptimizerKind::all())
    for (const TaskKind* task : TaskKind::all()) {
      const Instance instance{.optimizer = kind->name(), .problem = problem, .tasks = std::string(task->name())};
      EXPECT_EQ(check(problem.workload, problem.machine, instance.solve(1, 1).plan), std::nullopt) << kind->name();
    }
}

TEST(OptimizerContract, DecidesForGroupsOrSaysThatItCannot) {
  const Problem problem = random_problem(7, Objective::seconds);
  const Plan start = paired_plan(problem);
  const std::unique_ptr<Task> task = make_task(problem, "place+schedule+transfers", start);
  std::size_t planned = 0;
  for (const OptimizerKind* kind : OptimizerKind::all()) {
    SCOPED_TRACE(kind->name());
    Search search(problem, *task, ObjectiveCost(problem), start, {.budget = {.evaluations = kEvaluations}});
    const std::unique_ptr<Optimizer> optimizer = make_optimizer(kind->name());
    if (!optimizer->plans_groups()) {
      EXPECT_THROW(optimizer->run(search), InputError);
      continue;
    }
    optimizer->run(search);
    const Solution solution = search.finish();
    EXPECT_EQ(solution.plan.group_of, start.group_of);
    EXPECT_LT(solution.score, solution.curve.front().score);
    ++planned;
  }
  EXPECT_GE(planned, 7U);
}

TEST(OptimizerContract, OneAfterAnotherIsNoWorseThanTheFirstAlone) {
  const Problem problem = random_problem(6, Objective::seconds);
  for (const OptimizerKind* kind : OptimizerKind::all()) {
    const std::string sequence = fmt::format("critical-path+{}", kind->name());
    const Score alone = Instance{.optimizer = "critical-path", .problem = problem}.solve(1, 1).score;
    EXPECT_LE((Instance{.optimizer = sequence, .problem = problem}.solve(1, 1).score), alone) << sequence;
  }
}

TEST(OptimizerContract, NamesWhatItDoesNotKnow) {
  for (const OptimizerKind* kind : OptimizerKind::all())
    EXPECT_THROW(kind->make("no_such_parameter=1"), InputError) << kind->name();
  EXPECT_THROW(make_optimizer("no-such-optimiser"), InputError);
  EXPECT_THROW(make_optimizer("random+"), InputError);
}

}  // namespace
}  // namespace hone
