#include "plan/session/plan_request.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plan/fuse/loop_graph_test.h"
#include "plan/machine/machine_file.h"
#include "plan/search/optimizer.h"

namespace hone {
namespace {

PlanRequest completed_for(const PlanRequest& request, const char* objective) {
  return completed(request, {.machine = load_machine("h200-1"), .objective = parse_objective(objective)}, "graph");
}

TEST(PlanRequestTest, WithoutALimitThereIsAUsualOne) {
  EXPECT_EQ(completed_for({}, "fit").evaluations, 5000u);
  EXPECT_EQ(completed_for({}, "throughput").evaluations, 300'000u);
  EXPECT_TRUE(std::isinf(completed_for({}, "fit").seconds));
}

TEST(PlanRequestTest, ALimitThatIsGivenIsTheOnlyOne) {
  EXPECT_EQ(completed_for({.seconds = 8}, "fit").evaluations, 0u);
  EXPECT_EQ(completed_for({.seconds = 8}, "throughput").evaluations, 0u);
  EXPECT_TRUE(std::isinf(completed_for({.evaluations = 8}, "fit").seconds));
}

TEST(PlanRequestTest, MethodsGoOnUntilALimitThatIsGiven) {
  for (const auto& [objective, last] :
       {std::pair("fit", "local"), {"memory", "brkga"}, {"throughput", "brkga"}, {"latency", "brkga"}})
    for (const PlanRequest& request : {PlanRequest{.evaluations = 8}, PlanRequest{.seconds = 8}})
      EXPECT_TRUE(completed_for(request, objective).optimizer.ends_with(last)) << objective;
  EXPECT_EQ(completed_for({.optimizer = "partition", .seconds = 8}, "throughput").optimizer, "partition");
  EXPECT_EQ(completed_for({}, "throughput").optimizer, "partition");
}

/// What is used for tasks on a graph of two loops, without an optimiser and a limit.
PlanRequest completed_for_tasks(const char* tasks, const char* objective) {
  LoopGraph graph;
  graph.map(8, {{}});
  graph.map(8, {{0}});
  Problem problem = std::move(graph).build();
  problem.objective = parse_objective(objective);
  return completed({.tasks = tasks}, problem, "graph");
}

TEST(PlanRequestTest, KernelsAreFusedByPriorityAndThenSearched) {
  for (const char* tasks : {"fuse", "fuse-levels:levels=3", "fuse-edges"})
    for (const char* objective : {"fit", "seconds", "memory", "throughput"})
      EXPECT_EQ(completed_for_tasks(tasks, objective).optimizer, "fuse-priority+fuse-all+fuse-merging+local")
          << tasks << " " << objective;
}

TEST(PlanRequestTest, KernelsWithPlacesAndOrderComeAfterWhatFindsThese) {
  EXPECT_EQ(completed_for_tasks("fuse,place,schedule", "fit").optimizer,
            "joint+fuse-priority+list-search:patience=1000+fuse-priority+fuse-all+fuse-merging+local");
  EXPECT_EQ(completed_for_tasks("schedule+fuse-edges", "memory").optimizer,
            "memory-order+fuse-priority+fuse-all+fuse-merging+local");
  EXPECT_EQ(completed_for_tasks("place+fuse", "latency").optimizer, "fuse-priority+fuse-all+fuse-merging+local");
  EXPECT_EQ(completed_for_tasks("place+fuse", "latency").evaluations, 5000u);
  EXPECT_NE(usual_optimizers().find("fuse-priority+fuse-all+fuse-merging+local"), std::string::npos);
}

TEST(PlanRequestTest, KernelsAreDecidedWhereARuntimeMakesThoseOfAPlan) {
  const auto usual_tasks = [](const char* machine, const char* objective) {
    LoopGraph graph;
    graph.map(8, {{}});
    Problem problem = std::move(graph).build();
    problem.machine = load_machine(machine);
    problem.objective = parse_objective(objective);
    return completed({}, problem, "graph").tasks;
  };
  EXPECT_EQ(usual_tasks("native-2", "fit"), "fuse-edges+place+schedule");
  EXPECT_EQ(usual_tasks("native-1", "seconds"), "fuse-edges+place+schedule");
  EXPECT_EQ(usual_tasks("native-1", "memory"), "place+schedule+transfers");
  EXPECT_EQ(usual_tasks("native-2", "memory"), "place+schedule+transfers+wait");
  EXPECT_EQ(usual_tasks("p100-4", "fit"), "place+schedule+transfers+wait");
  EXPECT_EQ(usual_tasks("p100-4", "seconds"), "place+schedule+transfers");
}

TEST(PlanRequestTest, TasksWithoutKernelsAreAsTheyWere) {
  EXPECT_EQ(completed_for_tasks("place+schedule", "fit").optimizer, completed_for({}, "fit").optimizer);
  EXPECT_EQ(completed_for_tasks("place", "throughput").evaluations, 300'000u);
}

}  // namespace
}  // namespace hone
