// What every optimiser promises, for all that are registered and all kinds of task.

#include "plan/search/optimizer.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "bench/random_problem.h"
#include "plan/fuse/random_loops_test.h"
#include "plan/problem/check.h"
#include "plan/search/paired_plan_test.h"
#include "plan/simulate/objective_cost.h"
#include "plan/solve/solve.h"

namespace hone {
namespace {

constexpr std::uint64_t kEvaluations = 300;

Problem random_problem(std::uint64_t seed, const Objective& objective) {
  Rng rng(seed);
  Workload workload = random_workload(rng, 30);
  return {.workload = std::move(workload), .machine = random_machine(rng), .objective = objective};
}

/// Nodes in a chain whose first strategies cost most, and whose last ones do not all fit.
Problem chain_to_shard() {
  ShardingProblem sharding{.name = "chain", .usage_limit = 12};
  constexpr std::uint32_t kNodes = 10;
  for (std::uint32_t i = 0; i < kNodes; ++i) {
    sharding.nodes.push_back({.begin = i, .end = i + 3, .strategies = {{9, 1}, {5, 3}, {2, 5}}});
    if (i > 0) sharding.edges.push_back({.first = i - 1, .second = i, .costs = {0, 2, 2, 2, 0, 1, 2, 1, 0}});
  }
  return {.workload = {}, .machine = {}, .sharding = std::make_shared<const ShardingProblem>(std::move(sharding))};
}

/// An instance of one optimiser working on one task.
struct Instance {
  std::string_view optimizer;
  const Problem& problem;
  std::string tasks = "place+schedule+transfers+wait";

  Solution solve(std::uint64_t seed, std::size_t threads) const {
    return hone::solve(problem, tasks, optimizer,
                       {.budget = {.evaluations = kEvaluations}, .seed = seed, .threads = threads});
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
  const Solver solver(problem, "place+schedule+transfers", start);
  const SearchSettings settings{.budget = {.evaluations = kEvaluations}};
  std::size_t improved = 0;  // by all but those that only order, which is no help on one device
  for (const OptimizerKind* kind : OptimizerKind::all()) {
    SCOPED_TRACE(kind->name());
    const std::unique_ptr<Optimizer> optimizer = make_optimizer(kind->name());
    if (!optimizer->plans_groups()) {
      EXPECT_THROW(solver.solve(*optimizer, settings), InputError);
      continue;
    }
    const Solution solution = solver.solve(*optimizer, settings);
    EXPECT_EQ(solution.plan.group_of, start.group_of);
    EXPECT_LE(solution.score, solution.curve.front().score);
    improved += solution.score < solution.curve.front().score ? 1 : 0;
  }
  EXPECT_GE(improved, 7U);
}

/// Whoever decides for single operations starts from what a plan with kernels says of them, and proves nothing.
TEST(OptimizerContract, GoesOnFromAPlanWhoseKernelsAreDecided) {
  for (const char* objective : {"fit", "memory", "throughput", "latency"}) {
    Rng rng(3);
    Problem problem = random_loops(rng, 16);
    problem.machine.devices.push_back({"device:1", 0});
    problem.machine.links.push_back({.name = "link", .bytes_per_second = 1e3});
    problem.machine.routes = {LinkId(), LinkId(0), LinkId(0), LinkId()};
    problem.objective = parse_objective(objective);
    const auto solved = [&](std::string_view optimizer) {
      return Instance{.optimizer = optimizer, .problem = problem, .tasks = "fuse+place+schedule"}.solve(1, 1);
    };
    const Solution fused = solved("fuse-all");
    EXPECT_FALSE(fused.plan.group_of.empty());
    for (const OptimizerKind* kind : OptimizerKind::all()) {
      SCOPED_TRACE(fmt::format("{} for {}", kind->name(), objective));
      const Solution solution = solved(fmt::format("fuse-all+{}", kind->name()));
      EXPECT_EQ(check(problem, solution.plan), std::nullopt);
      EXPECT_EQ(ObjectiveCost(problem).evaluate(solution.plan), solution.cost);
      EXPECT_LE(solution.score, fused.score);
      EXPECT_EQ(solution.bound, 0);
    }
  }
}

TEST(OptimizerContract, ShardsWhatThereIsToShard) {
  constexpr std::uint64_t kFew = 16;  // one of `shard` stands for much work
  const Problem problem = chain_to_shard();
  std::size_t improved = 0;
  for (const OptimizerKind* kind : OptimizerKind::all()) {
    SCOPED_TRACE(kind->name());
    const auto solve_on = [&](std::size_t threads) {
      return solve(problem, "shard", kind->name(), {.budget = {.evaluations = kFew}, .seed = 1, .threads = threads});
    };
    const Solution alone = solve_on(1);
    EXPECT_LE(alone.score, alone.curve.front().score);
    improved += alone.score < alone.curve.front().score ? 1 : 0;
    EXPECT_EQ(alone.score.excess, 0);
    EXPECT_EQ(check(problem, alone.plan), std::nullopt);
    EXPECT_EQ(totals(*problem.sharding, alone.plan.strategy_of).cost, alone.cost.seconds);
    EXPECT_EQ(solve_on(2).plan, alone.plan);
    EXPECT_LE(alone.evaluations, kFew);
  }
  EXPECT_GE(improved, 8U);
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
