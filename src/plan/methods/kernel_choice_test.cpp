#include "plan/methods/kernel_choice.h"

#include <gtest/gtest.h>

#include "bench/graph_set.h"
#include "plan/machine/machine_file.h"
#include "plan/solve/solve.h"

namespace hone {
namespace {

TEST(KernelChoice, ChangesKernelsAloneAndCountsWhereItIsPartOf) {
  const Problem problem{
      .workload = std::move(load_graphs({"zoo:squeezenet:resolution=64,training=true"}).front().workload),
      .machine = load_machine("p100-2"),
      .objective = Objective::seconds};
  const std::unique_ptr<Task> task = make_task(problem, "fuse-edges+place+schedule", undecided_plan(problem));
  Search search(problem, *task, *evaluator_for(problem), undecided_plan(problem),
                {.budget = {.evaluations = 100}, .show_progress = false});
  const Decisions start = task->encode(undecided_plan(problem));
  KernelChoice choice(search, start);
  choice.run(*make_optimizer("fuse-priority+random"), 40, 1);
  EXPECT_EQ(search.evaluations(), 41U);  // the start is one
  EXPECT_LT(search.best(), search.curve().front().score);
  const Decisions& found = choice.best_row();
  EXPECT_EQ(search.score(search.evaluate(found).front()), search.best());
  std::size_t changed = 0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (task->sites()[i].field == PlanField::group) changed += found[i] != start[i] ? 1 : 0;
    else EXPECT_EQ(found[i], start[i]);
  }
  EXPECT_GT(changed, 0U);
}

}  // namespace
}  // namespace hone
