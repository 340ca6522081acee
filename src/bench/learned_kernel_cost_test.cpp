#include "bench/learned_kernel_cost.h"

#include <gtest/gtest.h>

#include "bench/graph_set.h"
#include "plan/machine/machine_file.h"
#include "plan/search/search.h"
#include "plan/solve/solve.h"

namespace hone {
namespace {

TEST(LearnedKernelCost, IsNearForMostKernelsAndSearchedByFewEvaluations) {
  const std::vector<std::string> graphs{"zoo:squeezenet:resolution=64"};
  const Machine machine = load_machine("h200-1");
  const LearnedKernelCost model(graphs, machine);
  EXPECT_GT(model.within_tenth(), 0.5);
  const Problem problem{
      .workload = load_graphs(graphs).front().workload, .machine = machine, .objective = Objective::seconds};
  AnnealOnModel anneal(model, 300);
  const Solution found = solve(problem, "fuse-edges", anneal, {.budget = {.evaluations = 100}});
  EXPECT_LT(found.cost.seconds, found.curve.front().score.value);
  EXPECT_LT(found.evaluations, 10U);
}

}  // namespace
}  // namespace hone
