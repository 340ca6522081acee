#include "run/profile/measured_groups.h"

#include <gtest/gtest.h>

#include "graph/ir/parse.h"
#include "graph/ops/infer.h"
#include "plan/problem/lower.h"
#include "plan/simulate/simulator.h"
#include "run/profile/measured_cost.h"
#include "run/verify/inputs.h"

namespace hone {
namespace {

constexpr const char* kHeader = R"(<ir_version: 8, opset_import: ["" : 18]>)";

Model typed(const std::string& text) {
  Model model = parse_model(kHeader + text, "test");
  infer_types(model);
  return model;
}

Model four_operators() {
  return typed(R"(net (float[32,64] x, float[64,64] w) => (float[32,64] y) {
      a = MatMul(x, w) b = Exp(a) c = MatMul(b, w) y = Exp(c)
    })");
}

std::shared_ptr<const Runtime> native() { return RuntimeKind::named("native").make(""); }

MeasuredGroups measured(const Model& model, const ProfileTable& known = {}) {
  return {native(), model, {.inputs = given_inputs(model, {}, 0), .options = {}, .runs = 3}, known};
}

/// The groups that operations are in.
Plan plan_of(const Problem& problem, const std::vector<std::uint32_t>& groups) {
  Plan plan = plan_on_one_device(problem.workload);
  std::size_t count = 0;
  plan.group_of.clear();
  for (const std::uint32_t group : groups) {
    plan.group_of.emplace_back(group);
    count = std::max<std::size_t>(count, group + 1);
  }
  plan.device_of.resize(count);
  plan.priority.clear();
  return plan;
}

TEST(MeasuredGroupsTest, OnlyPlansWithNewGroupsAreRun) {
  const Model model = four_operators();
  MeasuredGroups groups = measured(model);
  EXPECT_EQ(groups.plans_run(), 1U);  // nothing together
  const Plan first = plan_of(groups.problem(), {0, 0, 1, 2}), all = plan_of(groups.problem(), {0, 0, 1, 1});
  EXPECT_GT(groups.seconds(first), 0);
  EXPECT_EQ(groups.plans_run(), 2U);
  EXPECT_EQ(groups.seconds(first), groups.seconds(first));
  EXPECT_EQ(groups.plans_run(), 2U);
  groups.seconds(all);  // MatMul+Exp that is the result of the model is another group than one that is read
  EXPECT_EQ(groups.plans_run(), 3U);
  const Plan last = plan_of(groups.problem(), {0, 1, 2, 2});
  groups.seconds(last);
  EXPECT_EQ(groups.plans_run(), 3U);
}

TEST(MeasuredGroupsTest, WhatIsKnownFromBeforeIsNotRunAgain) {
  const Model model = four_operators();
  MeasuredGroups groups = measured(model);
  const Plan plan = plan_of(groups.problem(), {0, 0, 1, 1});
  const double seconds = groups.seconds(plan);
  MeasuredGroups again = measured(model, groups.records());
  EXPECT_EQ(again.seconds(plan), seconds);
  EXPECT_EQ(again.plans_run(), 0U);
  EXPECT_TRUE(again.records().records().empty());
}

TEST(MeasuredGroupsTest, TheSimulatorTakesTheSameTimes) {
  const Model model = four_operators();
  MeasuredGroups groups = measured(model);
  const Plan plan = plan_of(groups.problem(), {0, 0, 1, 1});
  Machine machine = groups.problem().machine;
  machine.kinds[0].kernel_times = groups.kernel_times({&plan, 1});
  Simulator simulator(std::make_shared<SimulatorTables>(groups.problem().workload, machine));
  EXPECT_NEAR(simulator.evaluate(plan).seconds, groups.seconds(plan), 1e-9);
}

TEST(MeasuredGroupsTest, JudgesPlansByTheSumOfTheirGroups) {
  const Model model = four_operators();
  const auto groups = std::make_shared<MeasuredGroups>(
      native(), model, GroupMeasuring{.inputs = given_inputs(model, {}, 0), .options = {}, .runs = 3});
  MeasuredCost cost(groups);
  const Plan plan = plan_of(groups->problem(), {0, 0, 1, 1});
  EXPECT_EQ(cost.evaluate(plan).seconds, groups->seconds(plan));
  EXPECT_EQ(cost.fork()->evaluate(plan), cost.evaluate(plan));
  double sum = 0;
  for (const Blame& blame : cost.blame(plan)) sum += blame.share;
  EXPECT_NEAR(sum, groups->seconds(plan), 1e-12);
}

TEST(MeasuredGroupsTest, RefusesARuntimeWithoutPlans) {
  const Model model = four_operators();
  EXPECT_THROW(MeasuredGroups(RuntimeKind::named("reference").make(""), model,
                              {.inputs = given_inputs(model, {}, 0), .options = {}, .runs = 3}),
               InputError);
}

/// The number of one operator that stands in a model of its own.
std::uint64_t key_of_node(const std::string& text) {
  const Model model = typed(text);
  const Workload workload = lower(model);
  const OperationId first(0);
  return GroupContent(model, workload).key({.instances = {&first, 1}, .stored = workload.outputs(first)});
}

TEST(GroupContentTest, AttributesTypesAndNeighboursCountAndNamesDoNot) {
  const std::string first = "net (float[4,4] x) => (float[4,4] y) { y = Transpose<perm=[1,0]>(x) }";
  EXPECT_EQ(key_of_node(first), key_of_node("n (float[4,4] a) => (float[4,4] b) { b = Transpose<perm=[1,0]>(a) }"));
  EXPECT_NE(key_of_node(first), key_of_node("n (float[4,4] x) => (float[4,4] y) { y = Transpose<perm=[0,1]>(x) }"));
  EXPECT_NE(key_of_node(first), key_of_node("n (float[2,8] x) => (float[8,2] y) { y = Transpose<perm=[1,0]>(x) }"));
  EXPECT_NE(key_of_node(first),
            key_of_node("n (float[4,4] x) => (float[4,4] z) { y = Transpose<perm=[1,0]>(x) z = Exp(y) }"));
  EXPECT_NE(key_of_node("n (float[4] x, float[4] y) => (float[4] z) { z = Mul(x, y) }"),
            key_of_node("n (float[4] x, float[4] y) => (float[4] z) { z = Mul(x, x) }"));
}

}  // namespace
}  // namespace hone
