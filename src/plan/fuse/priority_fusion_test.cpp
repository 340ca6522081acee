#include "plan/fuse/priority_fusion.h"

#include <gtest/gtest.h>

#include "plan/fuse/check_fusion.h"
#include "plan/fuse/inliner.h"
#include "plan/fuse/priority_merging.h"
#include "plan/fuse/random_loops_test.h"
#include "plan/simulate/simulated_cost.h"

namespace hone {
namespace {

enum class First { inlining, merging };

/// The plan of a rule that begins with either.
Plan ruled(const Problem& problem, First first) {
  const FusionGraph graph(problem);
  const Plan alone = undecided_plan(problem);
  GroupForest forest(graph);
  if (first == First::merging) PriorityMerging(problem, graph, alone).run(forest);
  Inliner inliner(graph);
  inliner.inline_into(forest, PriorityFusion(problem, graph, alone, forest).run());
  Plan plan = alone;
  GroupWriter().write(inliner.grouping(), plan);
  return plan;
}

/// On one device that runs one kernel at a time, what a rule thinks it saves is what is saved.
TEST(PriorityFusion, SavesTimeAndMakesLegalKernels) {
  std::size_t faster = 0, merged_best = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed);
    const Problem problem = random_loops(rng, 5 + rng.below(20));
    SimulatedCost cost(problem);
    const double alone = cost.evaluate(undecided_plan(problem)).seconds;
    const Plan inlined = ruled(problem, First::inlining), merged = ruled(problem, First::merging);
    for (const Plan& plan : {inlined, merged}) {
      ASSERT_EQ(check(problem, plan), std::nullopt);
      ASSERT_EQ(check_fusion(problem, plan), std::nullopt);
      EXPECT_LE(cost.evaluate(plan).seconds, alone * (1 + 1e-12)) << "seed " << seed;
    }
    faster += cost.evaluate(inlined).seconds < alone ? 1 : 0;
    merged_best += cost.evaluate(merged).seconds < cost.evaluate(inlined).seconds ? 1 : 0;
  }
  EXPECT_GT(faster, 150U);
  EXPECT_GT(merged_best, 20U);
}

TEST(PriorityFusion, InlinesTheOperationThatSavesMost) {
  // A wide and a narrow map feed one that reads both out of step: the kernel has room for all, and none is left alone.
  WorkloadBuilder builder("by hand");
  const auto add = [&](double points, std::vector<BufferId> inputs, bool is_output) {
    const BufferId output = builder.add_buffer({.bytes = 4 * points, .is_output = is_output});
    Operation operation{.name = "map", .operation_class = OperationClass::pointwise, .bytes = 8 * points};
    operation.loop = {.kind = Loop::Kind::map, .points = points, .rows = points, .results = points};
    operation.loop.reads.assign(inputs.size(), Access::other);
    builder.add_operation(std::move(operation), inputs, std::span(&output, 1));
    return output;
  };
  const BufferId wide = add(1e6, {}, false), narrow = add(10, {}, false);
  add(100, {wide, narrow}, true);
  Problem problem{.workload = std::move(builder).build()};
  problem.machine.kinds.push_back({.name = "device",
                                   .memory_bytes = 1e9,
                                   .bytes_per_second = 1e9,
                                   .launch_seconds = 1e-6,
                                   .flops = {{ElementType::float32, 1e12}}});
  problem.machine.devices.push_back({"device", 0});
  problem.machine.routes.emplace_back();
  const FusionGraph graph(problem);
  GroupForest forest(graph);
  EXPECT_EQ(PriorityFusion(problem, graph, undecided_plan(problem), forest).run(),
            (std::vector<std::uint8_t>{1, 1, 0}));
}

}  // namespace
}  // namespace hone
