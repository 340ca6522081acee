#include "plan/simulate/blame.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "bench/random_problem.h"
#include "plan/machine/machine_file.h"
#include "plan/simulate/simulated_cost.h"

namespace hone {
namespace {

constexpr double kGigabyte = 1e9;

Machine free_pair(double memory_bytes) {
  Machine machine{.name = "pair",
                  .kinds = {{.name = "unit", .memory_bytes = memory_bytes, .bytes_per_second = 1}},
                  .devices = {{.name = "unit:0"}, {.name = "unit:1"}},
                  .links = {{.name = "free"}}};
  machine.routes = {LinkId(), LinkId(0), LinkId(0), LinkId()};
  return machine;
}

/// Two operations of 1 and 2 seconds one after the other, and one of 1 second beside them; each leaves so many bytes.
Problem two_chains(Objective objective) {
  WorkloadBuilder builder("chains");
  builder.set_device_kinds({"unit"});
  const BufferId between = builder.add_buffer({.name = "between", .bytes = 10});
  const BufferId end = builder.add_buffer({.name = "end", .bytes = 20, .is_output = true});
  const BufferId beside = builder.add_buffer({.name = "beside", .bytes = 5, .is_output = true});
  builder.add_operation({.name = "first", .seconds = {1}}, {}, std::array{between});
  builder.add_operation({.name = "second", .seconds = {2}}, std::array{between}, std::array{end});
  builder.add_operation({.name = "third", .seconds = {1}}, {}, std::array{beside});
  return {.workload = std::move(builder).build(), .machine = free_pair(kGigabyte), .objective = objective};
}

std::vector<double> shares(const Problem& problem, const Plan& plan) {
  std::vector<double> shares(problem.workload.operation_count());
  for (const Blame& blame : SimulatedCost(problem).blame(plan)) shares[blame.operation.index()] = blame.share;
  return shares;
}

TEST(BlameTest, OfTimeIsOnTheCriticalPath) {
  const Problem problem = two_chains(Objective::seconds_in_memory);
  const Plan plan{.device_of = {DeviceId(0), DeviceId(0), DeviceId(1)}};
  EXPECT_EQ(shares(problem, plan), (std::vector<double>{1, 2, 0}));
}

TEST(BlameTest, OfMemoryIsOnWhatIsHeldWhenMostIs) {
  const Problem problem = two_chains(Objective::peak_bytes);
  const Plan plan{.device_of = {DeviceId(0), DeviceId(0), DeviceId(1)}};
  // While the second runs its device holds what lies between, which it has still to read, and what it makes.
  EXPECT_EQ(shares(problem, plan), (std::vector<double>{10, 30, 0}));
}

TEST(BlameTest, OfAPlanThatDoesNotFitIsOnMemory) {
  Problem problem = two_chains(Objective::seconds_in_memory);
  problem.machine = free_pair(28);
  const Plan plan{.device_of = {DeviceId(0), DeviceId(0), DeviceId(1)}};
  EXPECT_EQ(shares(problem, plan), (std::vector<double>{10, 30, 0}));
}

TEST(BlameTest, SomeoneIsToBlameUnlessThePlanNeverEnds) {
  const Machine machine = load_machine("p100-4");
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    for (const Objective& objective : {Objective::seconds, Objective::peak_bytes}) {
      const Problem problem{
          .workload = layered_training_workload(60, seed), .machine = machine, .objective = objective};
      const Plan plan = random_plan(rng, problem.workload, machine);
      SimulatedCost evaluator(problem);
      const bool ends = evaluator.evaluate(plan).obstacle != Obstacle::cycle;
      const std::vector<Blame> blames = evaluator.blame(plan);
      EXPECT_NE(blames.empty(), ends) << name_of(objective) << " " << seed;
      EXPECT_TRUE(std::ranges::all_of(blames, [](const Blame& blame) { return blame.share >= 0; }));
    }
  }
}

}  // namespace
}  // namespace hone
