#include "plan/fuse/regroup.h"

#include <gtest/gtest.h>

#include "plan/fuse/random_loops_test.h"
#include "plan/search/task.h"

namespace hone {
namespace {

TEST(Regroup, GroupsThatDecisionsMadeAreMadeAgain) {
  std::size_t grouped = 0;
  for (std::size_t graph = 0; graph < 1500; ++graph) {
    Rng rng(graph);
    const Problem problem = random_loops(rng, 4 + rng.below(12));
    Plan plan = undecided_plan(problem);
    constexpr const char* kTasks[] = {"fuse", "fuse-levels:levels=3", "fuse-edges"};
    const std::unique_ptr<Task> task = make_task(problem, kTasks[graph % 3], plan);
    Decisions keys(task->sites().size());
    for (float& key : keys) key = static_cast<float>(rng.below(1 << 24)) * 0x1.0p-24F;
    task->apply(keys, plan);
    EXPECT_EQ(regroup(problem, FusionGraph(problem), plan).plan, plan) << "graph " << graph;
    grouped += plan.group_of.empty() ? 0 : 1;
  }
  EXPECT_GT(grouped, 750U);
}

TEST(Regroup, OneGroupTakesInTheOtherWithItsCopies) {
  const Plan plan{.group_of = {GroupId(0), GroupId(1), GroupId(2), GroupId(2)},
                  .copies = {{OperationId(0), GroupId(1)}, {OperationId(0), GroupId(2)}, {OperationId(1), GroupId(2)}},
                  .device_of = {DeviceId(0), DeviceId(0), DeviceId(0)}};
  const Plan one = with_one_group(plan, GroupId(2), GroupId(1));
  EXPECT_EQ(one.group_of, (std::vector{GroupId(0), GroupId(2), GroupId(2), GroupId(2)}));
  EXPECT_EQ(one.copies, (std::vector<Plan::Copy>{{OperationId(0), GroupId(2)}}));
}

}  // namespace
}  // namespace hone
