#include "plan/methods/contracted_problem.h"

#include <gtest/gtest.h>

#include "plan/fuse/random_loops_test.h"
#include "plan/methods/fusion_rules.h"
#include "plan/solve/solve.h"

namespace hone {
namespace {

/// Loops on two devices that a slow link joins.
Problem loops_on_two_devices(std::uint64_t seed) {
  Rng rng(seed);
  Problem problem = random_loops(rng, 40);
  problem.machine.devices.push_back({"device:1", 0});
  problem.machine.links.push_back({.name = "link", .bytes_per_second = 1e3});
  problem.machine.routes = {LinkId(), LinkId(0), LinkId(0), LinkId()};
  problem.objective = Objective::seconds;
  return problem;
}

/// Devices and priorities drawn for groups, all that must share a device on the first.
Plan with_drawn_places(const Problem& problem, Plan plan, std::uint64_t seed) {
  Rng rng(seed);
  const DeviceChoices choices(problem, plan);
  std::vector<DeviceId> chosen;
  for (std::size_t i = 0; i < choices.count(); ++i) chosen.emplace_back(rng.below(2));
  for (std::size_t i = 0; i < problem.workload.operation_count(); ++i)
    plan.device_of[plan.group(OperationId(i)).index()] = chosen[choices.choice_of(OperationId(i))];
  plan.priority.resize(plan.group_count());
  for (float& priority : plan.priority) priority = static_cast<float>(rng.uniform());
  return plan;
}

TEST(ContractedProblem, KernelsAsOperationsTakeAsLongAsKernels) {
  std::size_t smaller = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Problem problem = loops_on_two_devices(seed);
    for (const FusionRule rule : {FusionRule::none, FusionRule::all, FusionRule::topological, FusionRule::merging}) {
      const Plan plan = with_drawn_places(problem, fused_by(rule, problem, undecided_plan(problem)), seed);
      const ContractedProblem contracted(problem, plan);
      ASSERT_EQ(contracted.problem.workload.operation_count(), plan.group_count());
      smaller += plan.group_count() < problem.workload.operation_count() ? 1 : 0;
      const Plan kernels{.device_of = plan.device_of, .priority = plan.priority};
      EXPECT_DOUBLE_EQ(evaluator_for(contracted.problem)->evaluate(kernels).seconds,
                       evaluator_for(problem)->evaluate(plan).seconds);
    }
  }
  EXPECT_GT(smaller, 40U);
}

TEST(ContractedProblem, WhatStaysInsideAKernelIsGone) {
  const Problem problem = loops_on_two_devices(3);
  const Plan plan = fused_by(FusionRule::all, problem, undecided_plan(problem));
  const ContractedProblem contracted(problem, plan);
  EXPECT_LT(contracted.problem.workload.buffer_count(), problem.workload.buffer_count());
  for (std::size_t i = 0; i < problem.workload.buffer_count(); ++i) {
    const BufferId same = contracted.buffer_of[i];
    if (!same.valid()) continue;
    EXPECT_EQ(contracted.problem.workload.buffer(same).bytes, problem.workload.buffer(BufferId(i)).bytes);
  }
}

TEST(FusionRules, MayKeepDevicesApart) {
  std::size_t across = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Problem problem = loops_on_two_devices(seed);
    const Plan placed = with_drawn_places(problem, undecided_plan(problem), seed);
    for (const AcrossDevices allowed : {AcrossDevices::allowed, AcrossDevices::never}) {
      const Plan fused = fused_by(FusionRule::merging, problem, placed, allowed);
      for (std::size_t i = 0; i < problem.workload.operation_count(); ++i) {
        if (fused.device(OperationId(i)) == placed.device(OperationId(i))) continue;
        ++across;
        EXPECT_EQ(allowed, AcrossDevices::allowed);
      }
    }
  }
  EXPECT_GT(across, 0U);
}

}  // namespace
}  // namespace hone
