#include "plan/methods/memory_constructor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "bench/random_problem.h"
#include "plan/methods/memory_graph_test.h"
#include "plan/simulate/simulated_cost.h"

namespace hone {
namespace {

/// What the constructor makes of a problem by these keys and preferences.
Plan constructed(const Problem& problem, const MemoryGuidance& guidance) {
  const MemoryItems items(problem.workload);
  const Durations durations(problem);
  HeldLevels levels(items, problem.workload.operation_count(), problem.machine.device_count());
  return MemoryConstructor(durations, levels).construct(guidance, undecided_plan(problem));
}

MemoryGuidance no_guidance(const Problem& problem) {
  return {std::vector<float>(problem.workload.operation_count()), {}};
}

/// False where operations must share a device that no device can run all of.
bool can_be_placed(const Problem& problem) {
  try {
    return DeviceChoices(problem).count() > 0;
  } catch (const InputError&) {
    return false;
  }
}

double peak_of(const Problem& problem, const Plan& plan) { return SimulatedCost(problem).evaluate(plan).peak_bytes; }

TEST(MemoryConstructor, PlansAreValidWhateverTheGuidance) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Rng rng(seed);
    const Problem problem{
        .workload = random_workload(rng, 30), .machine = random_machine(rng), .objective = Objective::peak_bytes};
    if (!can_be_placed(problem)) continue;
    MemoryGuidance guidance = no_guidance(problem);
    for (float& key : guidance.keys) key = static_cast<float>(rng.normal());
    guidance.preference.resize(guidance.keys.size() * problem.machine.device_count());
    for (float& liking : guidance.preference) liking = static_cast<float>(rng.normal());
    EXPECT_EQ(check(problem, constructed(problem, guidance)), std::nullopt) << seed;
    EXPECT_EQ(check(problem, constructed(problem, no_guidance(problem))), std::nullopt) << seed;
  }
}

TEST(MemoryConstructor, BalancesWhatOneDeviceWouldHold) {
  for (const char* machine : {"regal-2", "p100-4", "h200-8"}) {
    const Problem problem{.workload = layered_training_workload(400, 3),
                          .machine = load_machine(machine),
                          .objective = Objective::peak_bytes};
    EXPECT_LT(peak_of(problem, constructed(problem, no_guidance(problem))),
              0.85 * peak_of(problem, undecided_plan(problem)))
        << machine;
  }
}

TEST(MemoryConstructor, APreferenceOfMoreThanOneDecides) {
  const Problem problem = random_memory_problem(2, 50, "p100-4");
  MemoryGuidance guidance = no_guidance(problem);
  guidance.preference.resize(50 * 4);
  for (std::size_t i = 0; i < 50; ++i) guidance.preference[i * 4 + i % 4] = 1.5F;
  const Plan plan = constructed(problem, guidance);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(plan.device_of[i], DeviceId(i % 4));
}

TEST(MemoryConstructor, ADeviceRunsWhatHasTheHigherKeyFirst) {
  const Problem problem = random_memory_problem(3, 50, "regal-2");
  MemoryGuidance guidance = no_guidance(problem);
  std::iota(guidance.keys.begin(), guidance.keys.end(), 0.0F);
  const Plan late = constructed(problem, guidance);
  std::ranges::reverse(guidance.keys);
  const Plan early = constructed(problem, guidance);
  const auto first_of = [](const Plan& plan) {
    return std::ranges::max_element(plan.priority) - plan.priority.begin();
  };
  EXPECT_GT(first_of(late), first_of(early));
}

/// Looking at all readers of a buffer for each of them would be felt here.
TEST(MemoryConstructor, TakesManyReadersOfOneBuffer) {
  constexpr std::size_t kReaders = 20'000;
  WorkloadBuilder builder("fan");
  const BufferId shared = builder.add_buffer({.name = "shared", .bytes = 10});
  builder.add_operation({.name = "maker"}, {}, std::span(&shared, 1));
  for (std::size_t i = 0; i < kReaders; ++i) {
    const BufferId made = builder.add_buffer({.name = fmt::format("made{}", i), .bytes = 1, .is_output = true});
    builder.add_operation({.name = fmt::format("reader{}", i)}, std::span(&shared, 1), std::span(&made, 1));
  }
  const Problem problem{
      .workload = std::move(builder).build(), .machine = load_machine("regal-2"), .objective = Objective::peak_bytes};
  const Plan plan = constructed(problem, no_guidance(problem));
  EXPECT_EQ(check(problem, plan), std::nullopt);
  EXPECT_LE(peak_of(problem, plan), 1.1 * (kReaders / 2.0 + 10));
}

}  // namespace
}  // namespace hone
