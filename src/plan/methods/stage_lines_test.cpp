#include "plan/methods/stage_lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "bench/random_problem.h"
#include "plan/machine/machine_file.h"
#include "plan/methods/plan_order.h"

namespace hone {
namespace {

/// What lines of a problem are made with.
struct LineMaker {
  explicit LineMaker(const Problem& the_problem)
      : problem(the_problem), items(problem.workload), durations(problem), memory(problem.workload) {}

  std::vector<OperationId> order() const { return order_of(memory, problem.workload, undecided_plan(problem)); }
  StageLines lines() const { return {durations, items, memory}; }

  const Problem& problem;
  MemoryItems items;
  Durations durations;
  OrderMemory memory;
};

/// Every operation reads what the one before made, and the last ones read again what the first ones made.
Problem folded_problem(std::size_t half, const char* machine) {
  WorkloadBuilder builder("folded");
  std::vector<BufferId> made;
  for (std::size_t i = 0; i < 2 * half; ++i) {
    made.push_back(builder.add_buffer({.name = fmt::format("made{}", i), .bytes = 1000}));
    std::vector<BufferId> read;
    if (i > 0) read.push_back(made[i - 1]);
    if (i > half) read.push_back(made[2 * half - 1 - i]);
    builder.add_operation({.name = fmt::format("work{}", i), .bytes = 1e6}, read, std::span(&made.back(), 1));
  }
  return {.workload = std::move(builder).build(), .machine = load_machine(machine), .objective = Objective::peak_bytes};
}

TEST(StageLines, EveryDeviceGetsOneStretch) {
  const Problem problem = folded_problem(100, "p100-4");
  const LineMaker maker(problem);
  for (const StageLine& line :
       {maker.lines().along(maker.order()), maker.lines().by_items(maker.order(), {.life = 1})}) {
    const Plan plan = maker.lines().cut(line, undecided_plan(problem));
    EXPECT_EQ(check(problem, plan), std::nullopt);
    std::set<DeviceId> devices;
    std::size_t changes = 0;
    for (std::size_t i = 0; i < line.choices.size(); ++i) {
      devices.insert(plan.device_of[line.choices[i]]);
      if (i > 0 && plan.device_of[line.choices[i]] != plan.device_of[line.choices[i - 1]]) ++changes;
    }
    EXPECT_EQ(devices.size(), 4);
    EXPECT_EQ(changes, 3);
  }
}

TEST(StageLines, WhatIsReadAgainStaysWhereItWasMade) {
  const Problem problem = folded_problem(100, "p100-4");
  const LineMaker maker(problem);
  const auto apart = [&](const StageLine& line) {
    const Plan plan = maker.lines().cut(line, undecided_plan(problem));
    std::size_t count = 0;
    for (std::size_t i = 0; i < 100; ++i) count += plan.device_of[i] != plan.device_of[199 - i] ? 1 : 0;
    return count;
  };
  EXPECT_LT(apart(maker.lines().by_items(maker.order(), {.always = 0.1, .life = 1})), 15);
  EXPECT_GT(apart(maker.lines().along(maker.order())), 50);
}

TEST(StageLines, DevicesThatHeldTooMuchGetLess) {
  const Problem problem = folded_problem(50, "regal-2");
  const LineMaker maker(problem);
  const StageLine line = maker.lines().along(maker.order());
  const Plan plan = maker.lines().cut(line, undecided_plan(problem));
  const Plan after =
      maker.lines().cut(maker.lines().balanced(line, plan, std::vector<double>{3e6, 1e6}), undecided_plan(problem));
  EXPECT_LT(std::ranges::count(after.device_of, DeviceId(0)), std::ranges::count(plan.device_of, DeviceId(0)));
  EXPECT_GT(std::ranges::count(after.device_of, DeviceId(0)), 0);
}

TEST(StageLines, PlansOfAnyProblemAreValid) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Rng rng(seed);
    const Problem problem{
        .workload = random_workload(rng, 30), .machine = random_machine(rng), .objective = Objective::peak_bytes};
    try {
      const LineMaker maker(problem);
      for (const StageLine& line :
           {maker.lines().along(maker.order()), maker.lines().by_items(maker.order(), {.always = 0.1, .at_peak = 1})})
        EXPECT_EQ(check(problem, maker.lines().cut(line, undecided_plan(problem))), std::nullopt) << seed;
    } catch (const InputError&) {
      continue;  // operations must share a device that no device can run all of
    }
  }
}

}  // namespace
}  // namespace hone
