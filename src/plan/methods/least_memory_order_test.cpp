#include "plan/methods/least_memory_order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bench/random_problem.h"
#include "plan/methods/listed_order_test.h"
#include "plan/methods/operation_orders.h"

namespace hone {
namespace {

bool is_valid(const OrderMemory& memory, const std::vector<OperationId>& order) {
  std::vector<bool> done(memory.operation_count());
  for (const OperationId operation : order) {
    for (const OperationId need : memory.before(operation))
      if (!done[need.index()]) return false;
    if (done[operation.index()]) return false;
    done[operation.index()] = true;
  }
  return order.size() == memory.operation_count();
}

/// Two branches from one source: each makes something large and reduces it to something small.
Workload two_branches() {
  WorkloadBuilder builder("branches");
  const BufferId input = builder.add_buffer({.name = "input", .bytes = 1, .kind = Buffer::Kind::input});
  std::vector<BufferId> large, small;
  for (const char* name : {"left", "right"}) {
    large.push_back(builder.add_buffer({.name = std::string(name) + " large", .bytes = 100}));
    builder.add_operation({.name = std::string(name) + " grow"}, std::vector{input}, std::vector{large.back()});
  }
  for (const BufferId from : large) {
    small.push_back(builder.add_buffer({.name = "small", .bytes = 1}));
    builder.add_operation({.name = "shrink"}, std::vector{from}, std::vector{small.back()});
  }
  const BufferId result = builder.add_buffer({.name = "result", .bytes = 1, .is_output = true});
  builder.add_operation({.name = "join"}, small, std::vector{result});
  return std::move(builder).build();
}

TEST(OperationOrdersTest, EveryRuleGivesAnOrderOfAllOperation) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Rng rng(seed);
    const Workload workload = random_workload(rng, 40);
    const OrderMemory memory(workload);
    for (const OperationOrderRule& rule : operation_order_rules())
      EXPECT_TRUE(is_valid(memory, rule.make(memory))) << rule.name;
  }
}

TEST(OperationOrdersTest, RulesFinishOneBranchBeforeTheNext) {
  const OrderMemory memory(two_branches());
  for (const OperationOrderRule& rule : operation_order_rules())
    EXPECT_EQ(memory.peak_bytes(rule.make(memory)), 103) << rule.name;  // input, small, large and its small
}

TEST(LeastMemoryOrderTest, FinishesOneBranchBeforeTheNext) {
  const Workload workload = two_branches();
  const OrderMemory memory(workload);
  EXPECT_EQ(memory.peak_bytes(listed(workload)), 202);
  const OrderOutcome outcome = least_memory_order(memory, listed(workload));
  EXPECT_EQ(outcome.peak_bytes, 103);
  EXPECT_LE(outcome.bound_bytes, 103);
}

TEST(LeastMemoryOrderTest, IsNeverWorseThanTheGivenOrderNorBelowTheBound) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Rng rng(seed);
    const Workload workload = random_workload(rng, 60);
    const OrderMemory memory(workload);
    const OrderOutcome outcome = least_memory_order(memory, listed(workload));
    EXPECT_TRUE(is_valid(memory, outcome.order));
    EXPECT_EQ(outcome.peak_bytes, memory.peak_bytes(outcome.order));
    EXPECT_LE(outcome.peak_bytes, memory.peak_bytes(listed(workload)));
    EXPECT_LE(outcome.bound_bytes, outcome.peak_bytes);
    for (const OperationOrderRule& rule : operation_order_rules())
      EXPECT_LE(outcome.peak_bytes, memory.peak_bytes(rule.make(memory))) << rule.name;
  }
}

TEST(LeastMemoryOrderTest, OrdersNothing) {
  const Workload workload = WorkloadBuilder("nothing").build();
  const OrderOutcome outcome = least_memory_order(OrderMemory(workload), {});
  EXPECT_TRUE(outcome.order.empty());
  EXPECT_EQ(outcome.peak_bytes, outcome.bound_bytes);
}

}  // namespace
}  // namespace hone
