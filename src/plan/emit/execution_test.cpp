#include "plan/emit/execution.h"

#include <gtest/gtest.h>

#include <map>

#include "bench/random_problem.h"
#include "plan/machine/machine_file.h"
#include "plan/problem/group_contents.h"

namespace hone {
namespace {

/// Pairs of neighbours in topological order, every third operation copied to the groups of its readers where none of
/// these waits for itself then: copies only take edges away.
Plan paired_plan_with_copies(const Workload& workload, std::size_t devices, Rng& rng) {
  Plan plan;
  plan.group_of.resize(workload.operation_count());
  const auto order = workload.topological_order();
  for (std::size_t i = 0; i < order.size(); ++i) plan.group_of[order[i].index()] = GroupId(i / 2);
  for (std::size_t i = 0; i < (order.size() + 1) / 2; ++i) plan.device_of.emplace_back(rng.below(devices));
  for (std::size_t i = 0; i < order.size(); i += 3)
    for (const BufferId buffer : workload.outputs(order[i]))
      for (const OperationId reader : workload.readers(buffer))
        if (plan.group(reader) != plan.group(order[i])) plan.copies.push_back({order[i], plan.group(reader)});
  std::ranges::sort(plan.copies);
  plan.copies.erase(std::unique(plan.copies.begin(), plan.copies.end()), plan.copies.end());
  return plan;
}

TEST(Execution, WhateverIsReadComesFirstAlsoWithCopies) {
  const Machine machine = load_machine("p100-4");
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Workload workload = layered_training_workload(60, seed);
    Rng rng(seed);
    const Plan plan = paired_plan_with_copies(workload, machine.device_count(), rng);
    ASSERT_FALSE(plan.copies.empty());
    const Execution execution = carry_out(workload, machine, plan);

    const GroupContents contents(workload, plan);
    std::map<GroupId, std::size_t> place;
    for (const GroupId group : execution.groups) place.emplace(group, place.size());
    ASSERT_EQ(place.size(), plan.group_count());
    for (const GroupId group : execution.groups)
      for (const BufferId buffer : contents.reads(group))
        if (const OperationId producer = workload.buffer(buffer).producer; producer.valid()) {
          EXPECT_LT(place.at(plan.group(producer)), place.at(group));
        }

    std::map<OperationId, Execution::Step> done;
    for (const Execution::Step& step : execution.steps) {
      EXPECT_EQ(step.device, plan.device(step.operation));
      for (const BufferId buffer : workload.inputs(step.operation))
        if (const OperationId producer = workload.buffer(buffer).producer; producer.valid()) {
          ASSERT_TRUE(done.contains(producer));
          const bool crosses = done.at(producer).device != step.device;
          EXPECT_GE(step.stage, done.at(producer).stage + (crosses ? 1 : 0));
        }
      done.emplace(step.operation, step);
    }
    EXPECT_EQ(done.size(), workload.operation_count());
  }
}

}  // namespace
}  // namespace hone
