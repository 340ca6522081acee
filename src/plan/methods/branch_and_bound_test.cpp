#include "plan/methods/branch_and_bound.h"

#include <gtest/gtest.h>

#include "bench/random_problem.h"
#include "plan/machine/machine_file.h"
#include "plan/methods/random_tasks_test.h"

namespace hone {
namespace {

TEST(Exact, ProvesTheOptimumOfTinyTaskSets) {
  Rng rng(11);
  for (int round = 0; round < 16; ++round) {
    const Problem problem{.workload = random_tasks(rng, round % 2 == 0 ? 6 : 5),
                          .machine = load_machine(round % 2 == 0 ? "processors:2" : "processors:3"),
                          .objective = Objective::seconds};
    const Solution solution = solve(problem, "exact");
    EXPECT_TRUE(solution.optimal());
    EXPECT_EQ(solution.cost.seconds, least_makespan(problem));
  }
}

/// Unequal devices, streams, transfers, aliases: what is proved holds for every plan.
TEST(Exact, ProvesNothingThatAPlanRefutes) {
  Rng rng(5);
  std::size_t proved = 0;
  for (int round = 0; round < 40; ++round) {
    Problem problem{.workload = random_workload(rng, 5), .objective = Objective::seconds};
    problem.machine = random_machine(rng);
    if (problem.machine.device_count() > 3) continue;
    for (DeviceKind& kind : problem.machine.kinds)
      if (kind.name == "kind1") kind.name = "kind0";  // there is an operation that it cannot run
    const Solution solution = solve(problem, "exact");
    const DeviceChoices choices(problem);
    SimulatedCost evaluator(problem);
    Plan plan = undecided_plan(problem);
    plan.priority.resize(5);
    for (int i = 0; i < 500; ++i) {
      for (std::size_t operation = 0; operation < 5; ++operation) {
        const std::vector<DeviceId>& devices = choices.devices(choices.choice_of(OperationId(operation)));
        plan.device_of[operation] = devices[rng.below(devices.size())];
        plan.priority[operation] = static_cast<float>(rng.uniform());
      }
      ASSERT_GE(evaluator.evaluate(plan).seconds, solution.bound) << round;
    }
    proved += solution.optimal() ? 1 : 0;
  }
  EXPECT_GE(proved, 10U);  // links that are shared, and devices that cannot wait, leave a gap in others
}

TEST(Exact, ProvesWhatListSearchFinds) {
  Rng rng(2);
  for (int round = 0; round < 20; ++round) {
    const Problem problem{
        .workload = random_tasks(rng, 14), .machine = load_machine("processors:3"), .objective = Objective::seconds};
    const Solution solution = solve(problem, "list-search:patience=500+exact");
    EXPECT_TRUE(solution.optimal()) << round;
  }
}

TEST(Exact, GivesUpAfterSoManyNodes) {
  Rng rng(3);
  const Problem problem{
      .workload = random_tasks(rng, 30), .machine = load_machine("processors:4"), .objective = Objective::seconds};
  const Durations durations(problem);
  BranchAndBound tree(durations, Times::whole);
  const auto never = [] { return false; };
  const auto go_on = [](std::span<const BranchAndBound::Step>) { return true; };
  const auto outcome = tree.run(1e9, {.nodes = 40, .is_over = never}, go_on);
  EXPECT_FALSE(outcome.complete);
  EXPECT_LE(outcome.nodes, 41U);
}

}  // namespace
}  // namespace hone
