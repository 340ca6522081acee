#include "plan/methods/critical_waits.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bench/random_problem.h"
#include "plan/methods/chain_problem_test.h"
#include "plan/methods/list_decoder.h"
#include "plan/methods/list_moves.h"
#include "plan/simulate/simulated_cost.h"

namespace hone {
namespace {

std::vector<CriticalWait> chain_of(const Problem& problem, const Plan& plan) {
  Rng rng(1);
  return CriticalWaits(*SimulatedCost(problem).trace(plan), plan, problem).drawn_chain(Durations(problem), rng);
}

TEST(CriticalWaitsTest, AChainOnOneDeviceWaitsForNothingThatCouldBeElsewhere) {
  const Problem problem = chain_problem();
  for (const CriticalWait& wait : chain_of(problem, undecided_plan(problem))) EXPECT_FALSE(wait.is_transfer);
}

TEST(CriticalWaitsTest, AChainOverDevicesWaitsForTransfers) {
  const Problem problem = chain_problem();
  Plan plan = undecided_plan(problem);
  for (std::size_t i = 0; i < 5; ++i) plan.device_of[i] = DeviceId(i % 2);
  const std::vector<CriticalWait> chain = chain_of(problem, plan);
  ASSERT_EQ(chain.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(chain[i].is_transfer);
    EXPECT_EQ(chain[i].waiting, OperationId(4 - i));
    EXPECT_EQ(chain[i].cause, OperationId(3 - i));
  }
}

TEST(CriticalWaitsTest, IndependentWorkWaitsForItsDevice) {
  WorkloadBuilder builder("independent");
  for (const char* name : {"a", "b", "c"}) {
    const BufferId output = builder.add_buffer({.name = name, .bytes = 1e6});
    builder.add_operation({.name = name, .op = "MatMul", .flops = 1e9}, {}, std::span(&output, 1));
  }
  const Problem problem{.workload = std::move(builder).build(), .machine = load_machine("p100-4")};
  const std::vector<CriticalWait> chain = chain_of(problem, undecided_plan(problem));
  ASSERT_EQ(chain.size(), 2U);
  for (const CriticalWait& wait : chain) EXPECT_FALSE(wait.is_transfer);
}

TEST(CriticalWaitsTest, WaitsOfALargePlanGoBackInTime) {
  const Problem problem{.workload = layered_training_workload(800, 5), .machine = load_machine("p100-4")};
  const Durations durations(problem);
  const Plan plan = ListDecoder(durations).decode(ListMoves(durations).first_tries().front(), undecided_plan(problem));
  const ListPoint point = ListPoint::of(*SimulatedCost(problem).trace(plan), plan, problem);
  Rng rng(1);
  const std::vector<CriticalWait> chain = point.waits.drawn_chain(durations, rng);
  EXPECT_GT(std::ranges::count(chain, true, &CriticalWait::is_transfer), 0);
  EXPECT_GT(std::ranges::count(chain, false, &CriticalWait::is_transfer), 0);
  for (const CriticalWait& wait : chain) {
    EXPECT_LE(point.finishes[wait.cause.index()], point.starts[wait.waiting.index()]);
    EXPECT_EQ(wait.is_transfer, point.device_of[wait.cause.index()] != point.device_of[wait.waiting.index()]);
  }
}

TEST(CriticalWaitsTest, NoChainIsEndlessWhateverThePlan) {
  Rng rng(7);
  for (int i = 0; i < 200; ++i) {
    Problem problem{.workload = random_workload(rng, 12), .machine = random_machine(rng)};
    const Plan plan = random_plan(rng, problem.workload, problem.machine);
    const std::optional<Timeline> timeline = SimulatedCost(problem).trace(plan);
    if (!timeline || timeline->runs.size() != plan.group_count()) continue;
    const CriticalWaits waits(*timeline, plan, problem);
    EXPECT_LE(waits.drawn_chain(Durations(problem), rng).size(), 12U * 12 * 4);
  }
}

}  // namespace
}  // namespace hone
