#include <gtest/gtest.h>

#include "base/error.h"
#include "plan/fuse/check_fusion.h"
#include "plan/fuse/random_loops_test.h"
#include "plan/search/task.h"

namespace hone {
namespace {

Decisions drawn(const Task& task, Rng& rng) {
  Decisions keys(task.sites().size());
  for (float& key : keys) key = static_cast<float>(rng.below(1 << 24)) * 0x1.0p-24F;
  return keys;
}

constexpr const char* kForms[] = {"fuse", "fuse-levels:levels=3", "fuse-edges"};

/// 100,000 decisions of every form.
TEST(FuseTask, AnyDecisionsMakeLegalGroups) {
  constexpr std::size_t kGraphs = 1000, kRows = 100;
  std::size_t grouped = 0, copied = 0;
  for (std::size_t graph = 0; graph < kGraphs; ++graph) {
    Rng rng(graph);
    const Problem problem = random_loops(rng, 4 + rng.below(12));
    Plan plan = undecided_plan(problem);
    const std::unique_ptr<Task> task = make_task(problem, kForms[graph % 3], plan);
    for (std::size_t row = 0; row < kRows; ++row) {
      task->apply(drawn(*task, rng), plan);
      ASSERT_EQ(check(problem, plan), std::nullopt) << "graph " << graph << " row " << row;
      ASSERT_EQ(check_fusion(problem, plan), std::nullopt) << "graph " << graph << " row " << row;
      grouped += plan.group_of.empty() ? 0 : 1;
      copied += plan.copies.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(grouped, kGraphs * kRows / 4);
  EXPECT_GT(copied, kGraphs * kRows / 50);
}

TEST(FuseTask, WhatReadersComputeIsEncodedExactly) {
  for (std::size_t graph = 0; graph < 200; ++graph) {
    Rng rng(graph);
    const Problem problem = random_loops(rng, 14);
    const std::unique_ptr<Task> operations = make_task(problem, "fuse", undecided_plan(problem));
    Plan plan = undecided_plan(problem);
    operations->apply(drawn(*operations, rng), plan);
    for (const char* form : {"fuse", "fuse-edges"}) {
      const std::unique_ptr<Task> task = make_task(problem, form, undecided_plan(problem));
      Plan again = undecided_plan(problem);
      task->apply(task->encode(plan), again);
      EXPECT_EQ(again, plan) << form << ", graph " << graph;
    }
  }
}

TEST(FuseTask, JoinedWithPlacesAndPrioritiesAGroupTakesThoseOfItsLastOperation) {
  for (std::size_t graph = 0; graph < 50; ++graph) {
    Rng rng(graph);
    Problem problem = random_loops(rng, 12);
    problem.machine.devices.push_back({"device:1", 0});
    problem.machine.links.push_back({.name = "link"});
    problem.machine.routes = {LinkId(), LinkId(0), LinkId(0), LinkId()};
    const std::unique_ptr<Task> task = make_task(problem, "fuse+place+schedule", undecided_plan(problem));
    const std::unique_ptr<Task> rest = make_task(problem, "place+schedule", undecided_plan(problem));
    const Decisions keys = drawn(*task, rng);
    Plan plan = undecided_plan(problem), alone = plan;
    task->apply(keys, plan);
    rest->apply(std::span(keys).first(rest->sites().size()), alone);
    ASSERT_EQ(check(problem, plan), std::nullopt);
    std::vector<std::size_t> last(plan.group_count());
    for (std::size_t i = 0; i < problem.workload.operation_count(); ++i) last[plan.group(OperationId(i)).index()] = i;
    for (std::size_t group = 0; group < last.size(); ++group) {
      EXPECT_EQ(plan.device_of[group], alone.device_of[last[group]]);
      EXPECT_EQ(plan.priority[group], alone.priority[last[group]]);
    }
  }
}

TEST(FuseTask, TwoFormsAtOnceAreRefused) {
  Rng rng(1);
  const Problem problem = random_loops(rng, 5);
  EXPECT_THROW(make_task(problem, "fuse+fuse-edges", undecided_plan(problem)), InputError);
}

}  // namespace
}  // namespace hone
