#include "plan/session/plan_session.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "plan/fuse/loop_graph_test.h"

namespace hone {
namespace {

/// Three large results of one operation, each used up by an operation that runs alone before the next is made. All of
/// them made by one kernel is fastest, and holds all three at a time.
PlanningSource results_used_one_by_one() {
  LoopGraph graph;
  const int shared = graph.map(1000, {{}});
  for (int i = 0; i < 3; ++i) {
    const int large = graph.map(1000, {{shared}});
    graph.add(Loop::Kind::none, 0, 0, 1, {{large, Access::other}});
  }
  Problem problem = std::move(graph).build();
  for (std::size_t i = 0; i < problem.workload.operation_count(); ++i) problem.workload.given_order.emplace_back(i);
  return {.name = "by hand", .workload = std::move(problem.workload), .machine = std::move(problem.machine)};
}

PlanRequest wanted_kernels() {
  return {.tasks = "fuse-edges", .optimizer = "fuse-topological+local", .evaluations = 300};
}

TEST(PlanSessionTest, KernelsOfSeveralResultsMayHoldMoreThanBefore) {
  const PlanSession session(wanted_kernels(), results_used_one_by_one());
  const PlanResult result = session.run(*make_optimizer(session.request().optimizer));
  EXPECT_GT(result.solution.cost.peak_bytes, session.before().peak_bytes);
}

TEST(PlanSessionTest, AskedForNoMoreMemoryAPlanHoldsNoMoreThanBefore) {
  PlanRequest request = wanted_kernels();
  request.no_more_memory = true;
  const PlanSession session(request, results_used_one_by_one());
  const std::unique_ptr<Optimizer> optimizer = make_optimizer(request.optimizer);
  const PlanResult result = session.run(*optimizer);
  EXPECT_LE(result.solution.cost.peak_bytes, session.before().peak_bytes);
  EXPECT_LT(result.solution.cost.seconds, session.before().seconds);
  EXPECT_EQ(session.problem().machine.kinds[0].memory_bytes, 1e9);  // as reports tell it
  EXPECT_EQ(session.request_json(*optimizer)["no_more_memory"], true);
}

TEST(PlanSessionTest, NoMoreMemoryNeedsAnObjectiveThatHeedsIt) {
  for (const char* objective : {"seconds", "memory"}) {
    PlanRequest request = wanted_kernels();
    request.objective = objective;
    request.no_more_memory = true;
    EXPECT_THROW(PlanSession(request, results_used_one_by_one()), InputError) << objective;
  }
}

}  // namespace
}  // namespace hone
