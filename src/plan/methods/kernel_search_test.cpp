#include "plan/methods/kernel_search.h"

#include <gtest/gtest.h>

#include "bench/graph_set.h"
#include "plan/machine/machine_file.h"
#include "plan/methods/fusion_rules.h"
#include "plan/solve/solve.h"

namespace hone {
namespace {

Problem small_training_step() {
  return {.workload = std::move(load_graphs({"zoo:squeezenet:resolution=64,training=true"}).front().workload),
          .machine = load_machine("p100-2"),
          .objective = Objective::seconds};
}

TEST(KernelSearch, KeepsKernelsAndCountsWhereItIsPartOf) {
  const Problem problem = small_training_step();
  const std::unique_ptr<Task> task = make_task(problem, "fuse-edges+place+schedule", undecided_plan(problem));
  Search search(problem, *task, *evaluator_for(problem), undecided_plan(problem),
                {.budget = {.evaluations = 100}, .show_progress = false});
  const Plan fused = fused_by(FusionRule::priority, problem, undecided_plan(problem));
  KernelSearch kernels(search, task->encode(fused));
  kernels.run(*make_optimizer("list-search"), 60, 1);
  EXPECT_EQ(search.evaluations(), 61U);  // the start is one
  EXPECT_EQ(kernels.best(), search.best());
  EXPECT_EQ(search.best_plan().group_of, fused.group_of);
  EXPECT_LT(search.best(), search.curve().front().score);
  kernels.run(*make_optimizer("list-search:tries=0"), 1000, 1);
  EXPECT_EQ(search.evaluations(), 100U);
}

TEST(Joint, IsBetterThanKernelsAndPlacesInSequence) {
  const Problem problem = small_training_step();
  constexpr std::uint64_t kEvaluations = 400;
  const auto solved = [&](std::string_view tasks, const Plan& start, std::string_view optimizer,
                          std::uint64_t evaluations) {
    return Solver(problem, tasks, start)
        .solve(*make_optimizer(optimizer), {.budget = {.evaluations = evaluations}, .show_progress = false});
  };
  const Plan nothing = undecided_plan(problem);
  const Solution joint = solved("fuse-edges+place+schedule", nothing, "joint", kEvaluations);
  EXPECT_EQ(joint.evaluations, kEvaluations);
  const Solution fused = solved("fuse-edges", nothing, "fuse-priority+fuse-all+fuse-merging+local", kEvaluations / 2);
  const Solution placed = solved("place+schedule", fused.plan, "local", kEvaluations / 2);
  EXPECT_LT(joint.score, placed.score);
}

TEST(Joint, DecidesDevicesOfKernelsThatAreGiven) {
  const Problem problem = small_training_step();
  const Plan fused = fused_by(FusionRule::merging, problem, undecided_plan(problem));
  const Solution solution =
      Solver(problem, "place+schedule", fused)
          .solve(*make_optimizer("joint"), {.budget = {.evaluations = 100}, .show_progress = false});
  EXPECT_EQ(solution.plan.group_of, fused.group_of);
  EXPECT_LT(solution.score, solution.curve.front().score);
}

}  // namespace
}  // namespace hone
