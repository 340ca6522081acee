#include <gtest/gtest.h>

#include "bench/random_problem.h"
#include "plan/methods/memory_descent.h"
#include "plan/methods/memory_graph_test.h"
#include "plan/simulate/simulated_cost.h"
#include "plan/solve/solve.h"

namespace hone {
namespace {

Solution searched(const Problem& problem, std::string_view optimizer, std::uint64_t evaluations,
                  std::size_t threads = 1) {
  return solve(problem, "place+schedule+transfers", optimizer,
               {.budget = {.evaluations = evaluations}, .seed = 1, .threads = threads});
}

Problem training_problem(std::size_t operations, const char* machine) {
  return {.workload = layered_training_workload(operations, 4),
          .machine = load_machine(machine),
          .objective = Objective::peak_bytes};
}

TEST(MemorySearch, IsAheadOfOtherSearchesAtEqualEvaluations) {
  for (const char* machine : {"regal-2", "p100-4", "h200-8"}) {
    const Problem problem = training_problem(600, machine);
    const double found = searched(problem, "memory-search", 500).cost.peak_bytes;
    for (const char* other : {"local", "brkga", "anneal", "memory-greedy"})
      EXPECT_LT(found, searched(problem, other, 500).cost.peak_bytes) << other << " on " << machine;
  }
}

TEST(MemorySearch, FindsTheSameOnAnyNumberOfThreads) {
  const Problem problem = training_problem(300, "p100-4");
  EXPECT_EQ(searched(problem, "memory-search", 400, 1).plan, searched(problem, "memory-search", 400, 2).plan);
}

TEST(MemorySearch, NoPartOfItIsBetterThanAll) {
  const Problem problem = training_problem(300, "p100-4");
  const double all = searched(problem, "memory-search", 600).cost.peak_bytes;
  EXPECT_LE(all, searched(problem, "memory-search", 8).cost.peak_bytes);  // what is constructed first
  EXPECT_LT(all, searched(problem, "memory-search:construct=1", 600).cost.peak_bytes);
}

TEST(MemorySearch, HoldsLessWhereDevicesMayWait) {
  for (const char* machine : {"regal-2", "p100-4"}) {
    const Problem problem = training_problem(600, machine);
    const Solution waiting = solve(problem, "place+schedule+transfers+wait", "memory-search",
                                   {.budget = {.evaluations = 200}, .seed = 1, .show_progress = false});
    EXPECT_LT(waiting.cost.peak_bytes, searched(problem, "memory-search", 200).cost.peak_bytes) << machine;
    EXPECT_EQ(waiting.plan.waiting, Waiting::in_line) << machine;
  }
}

TEST(MemorySearch, WhereItIsNeededOnlyItLooksForAPlanThatFits) {
  Problem problem = training_problem(600, "p100-4");
  problem.objective = Objective::seconds_in_memory;
  EXPECT_EQ(searched(problem, "memory-search:needed=1", 200).evaluations, 1U);  // the start
  const Cost start = SimulatedCost(problem).evaluate(undecided_plan(problem));
  for (DeviceKind& kind : problem.machine.kinds) kind.memory_bytes = 0.5 * start.peak_bytes;
  EXPECT_TRUE(searched(problem, "memory-search:needed=1", 200).cost.feasible());
}

TEST(MemorySearch, CopesWithLittle) {
  for (const std::size_t operations : {1, 2, 5})
    for (const char* machine : {"cpu-1", "regal-2", "h200-8"})
      for (const std::uint64_t evaluations : {1, 3, 7, 100})
        for (const char* tasks : {"place+schedule+transfers", "place+schedule+transfers+wait", "wait"}) {
          const Problem problem = random_memory_problem(operations, operations, machine);
          const Solution solution =
              solve(problem, tasks, "memory-search", {.budget = {.evaluations = evaluations}, .seed = 1});
          EXPECT_EQ(check(problem, solution.plan), std::nullopt);
          EXPECT_LE(solution.evaluations, evaluations);
        }
}

TEST(MemorySearch, KeepsTogetherWhatMustShareADevice) {
  Rng rng(5);
  WorkloadBuilder builder("bound");
  BufferId last;
  for (std::uint32_t i = 0; i < 40; ++i) {
    const BufferId made = builder.add_buffer({.name = fmt::format("made{}", i), .bytes = 10, .is_output = i % 3 == 0});
    const std::span<const BufferId> read(&last, last.valid() && rng.below(3) > 0 ? 1 : 0);
    builder.add_operation({.name = fmt::format("work{}", i), .bytes = 1e6, .colocate = 1 + i % 7}, read,
                          std::span(&made, 1));
    last = made;
  }
  const Problem problem{
      .workload = std::move(builder).build(), .machine = load_machine("p100-4"), .objective = Objective::peak_bytes};
  const Solution solution = searched(problem, "memory-search", 500);
  EXPECT_EQ(check(problem, solution.plan), std::nullopt);
  EXPECT_LT(solution.cost.peak_bytes, solution.curve.front().score.value);
}

TEST(MemoryMoves, ForesayWhatTheyChangeAndLeaveThePlanAlone) {
  Problem problem = random_memory_problem(3, 100, "regal-2");
  Plan plan = undecided_plan(problem);
  plan.priority.resize(100);
  const MemoryItems items(problem.workload);
  const Durations durations(problem);
  HeldLevels levels(items, 100, 2);
  MemoryMoves moves(durations, items, levels);
  const PlayedRuns runs(durations, plan, *SimulatedCost(problem).trace(plan));
  levels.clear(runs.stays());
  moves.settle(plan, runs);
  const double peak = levels.peak_bytes();
  for (const auto kind : {MemoryMoves::Kind::evict, MemoryMoves::Kind::single, MemoryMoves::Kind::region}) {
    Rng rng(1), again(1);
    const Plan changed = moves.changed(kind, 10, rng);
    EXPECT_NE(changed.device_of, plan.device_of);
    EXPECT_LT(SimulatedCost(problem).evaluate(changed).peak_bytes, peak);
    EXPECT_NEAR(levels.peak_bytes(), peak, 1e-6);
    EXPECT_EQ(moves.changed(kind, 10, again), changed);
  }
  Rng rng(1);
  EXPECT_NE(moves.changed(MemoryMoves::Kind::reorder, 5, rng).priority, plan.priority);
}

}  // namespace
}  // namespace hone
