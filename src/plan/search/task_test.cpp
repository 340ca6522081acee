#include "plan/search/task.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "bench/random_problem.h"
#include "plan/problem/check.h"

namespace hone {
namespace {

Problem random_problem(std::uint64_t seed) {
  Rng rng(seed);
  Workload workload = random_workload(rng, 40);
  return {.workload = std::move(workload), .machine = random_machine(rng)};
}

Decisions random_decisions(const Task& task, Rng& rng) {
  Decisions keys(task.sites().size());
  for (float& key : keys) key = static_cast<float>(rng.below(1 << 24)) * 0x1.0p-24F;
  return keys;
}

TEST(Task, OptionsAndKeysAreInverse) {
  for (std::uint32_t options = 1; options <= 64; ++options)
    for (std::uint32_t option = 0; option < options; ++option)
      EXPECT_EQ(option_of(key_of(option, options), options), option);
  EXPECT_EQ(option_of(0.0F, 3), 0U);
  EXPECT_EQ(option_of(1.0F, 3), 2U);
}

TEST(Task, AnyDecisionsMakeAValidPlan) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Problem problem = random_problem(seed);
    const std::unique_ptr<Task> task = make_task(problem, "place+schedule+transfers");
    Rng rng(seed);
    Plan plan = undecided_plan(problem);
    task->apply(random_decisions(*task, rng), plan);
    EXPECT_EQ(check(problem.workload, problem.machine, plan), std::nullopt);
  }
}

TEST(Task, EncodingKeepsDevicesAndTheOrderOfPriorities) {
  const Problem problem = random_problem(1);
  const std::unique_ptr<Task> task = make_task(problem, "place+schedule");
  Rng rng(1);
  Plan plan = undecided_plan(problem);
  task->apply(random_decisions(*task, rng), plan);
  Plan again = undecided_plan(problem);
  task->apply(task->encode(plan), again);
  EXPECT_EQ(again.device_of, plan.device_of);
  for (std::size_t i = 0; i < plan.priority.size(); ++i)
    for (std::size_t j = 0; j < plan.priority.size(); ++j)
      EXPECT_EQ(plan.priority[i] < plan.priority[j], again.priority[i] < again.priority[j]);
}

TEST(Task, ATaskLeavesTheRestOfThePlanAlone) {
  const Problem problem = random_problem(2);
  Plan plan = undecided_plan(problem);
  const Plan before = plan;
  const std::unique_ptr<Task> task = make_task(problem, "schedule");
  task->apply(Decisions(task->sites().size(), 0.25F), plan);
  EXPECT_EQ(plan.device_of, before.device_of);
  EXPECT_EQ(plan.transfer_priority, before.transfer_priority);
  EXPECT_NE(plan.priority, before.priority);
}

TEST(Task, OperationsThatMustShareADeviceAreOneSite) {
  WorkloadBuilder builder("pair");
  for (int i = 0; i < 3; ++i) {
    const BufferId output = builder.add_buffer({.name = fmt::format("out{}", i), .bytes = 4});
    const Operation operation{.name = fmt::format("work{}", i), .flops = 1, .bytes = 4, .colocate = i < 2 ? 7U : 0U};
    builder.add_operation(operation, {}, std::span(&output, 1));
  }
  Rng rng(3);
  const Problem problem{.workload = std::move(builder).build(), .machine = random_machine(rng)};
  EXPECT_EQ(make_task(problem, "place")->sites().size(), 2U);
}

TEST(Task, OperationThatNoDeviceCanRunIsRefused) {
  WorkloadBuilder builder("stuck");
  builder.set_device_kinds({"no-such-device"});
  builder.add_operation({.name = "work", .seconds = {std::numeric_limits<double>::quiet_NaN()}}, {}, {});
  Rng rng(3);
  const Problem problem{.workload = std::move(builder).build(), .machine = random_machine(rng)};
  EXPECT_THROW(undecided_plan(problem), InputError);
}

TEST(Task, UnknownNamesAreRefused) {
  const Problem problem = random_problem(1);
  EXPECT_THROW(make_task(problem, "place+dance"), InputError);
  EXPECT_THROW(make_task(problem, ""), InputError);
}

}  // namespace
}  // namespace hone
