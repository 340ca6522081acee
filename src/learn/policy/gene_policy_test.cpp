#include "learn/policy/gene_policy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "learn/policy/drawn_problem_test.h"
#include "learn/policy/unlearned_policy.h"
#include "plan/search/optimizer.h"
#include "plan/simulate/objective_cost.h"

namespace hone {
namespace {

Policy unlearned_genes(std::string_view name, GeneOrder order) {
  const PolicyForm form{&gene_policy(order), {.width = 8, .rounds = 2, .encoder = &edge_encoder}};
  return {unlearned_policy(name, form, Objective::peak_bytes), name};
}

TEST(GenePolicy, AtZeroStepsTheLikeliestChoiceIsThePlainGeneticAlgorithm) {
  const Problem problem = drawn_problem(3);
  const GraphView view(problem);
  Rng rng(1);
  for (const GeneOrder order : {GeneOrder::independent, GeneOrder::autoregressive}) {
    const GeneDistribution zero_step(view, unlearned_genes("zero-step", order));
    for (const GeneChoice& choice : zero_step.draw(0, rng)) EXPECT_EQ(choice, standard_choice());
    EXPECT_NE(zero_step.draw(1, rng), std::vector<GeneChoice>(view.operations(), standard_choice()));
    const GeneDistribution untrained(view, unlearned_genes("untrained", order));
    EXPECT_NE(untrained.draw(0, rng), std::vector<GeneChoice>(view.operations(), standard_choice()));
  }
}

/// Outputs that say nothing, but for one option of one softmax.
std::vector<float> outputs_with(std::size_t nodes, std::size_t output, float value) {
  std::vector<float> rows(nodes * kGeneOutputs);
  for (std::size_t node = 0; node < nodes; ++node) rows[node * kGeneOutputs + output] = value;
  return rows;
}

TEST(GenePolicy, OptionsAreDrawnAsOftenAsTheirSoftmaxSays) {
  const Problem problem = drawn_problem(4);
  const GraphView view(problem);
  const std::size_t head = gene_head(GeneKind::priority, GeneAspect::spread);
  const std::size_t output = gene_heads()[head].first + 2;
  const GeneDistribution distribution(view, outputs_with(view.operations(), output, std::log(3.0F)), {});
  Rng rng(5);
  double drawn = 0, all = 0;
  for (int i = 0; i < 100; ++i)
    for (const GeneChoice& choice : distribution.draw(1, rng)) {
      drawn += choice[head] == 2 ? 1 : 0;
      ++all;
    }
  EXPECT_NEAR(drawn / all, 3.0 / (3 + 3), 0.03);  // three other spreads
}

TEST(GenePolicy, ChancesOfChoicesMultiply) {
  const Problem problem = drawn_problem(4);
  const GraphView view(problem);
  const GeneDistribution even(view, std::vector<float>(view.operations() * kGeneOutputs), {});
  Rng rng(5);
  double expected = 0;
  for (const GeneHead& head : gene_heads()) expected -= std::log(static_cast<double>(head.options));
  EXPECT_NEAR(even.log_chance(even.draw(1, rng)), expected * static_cast<double>(view.operations()), 1e-6);
}

/// Every node is told to take the mean that the node before it has taken.
TEST(GenePolicy, AutoregressiveChoicesSeeThoseOfNodesBefore) {
  const Problem problem = drawn_problem(4);
  const GraphView view(problem);
  const std::size_t head = gene_head(GeneKind::device, GeneAspect::mean);
  std::vector<float> feedback(kGeneOutputs * kGeneSeen);
  for (std::size_t option = 0; option < kGeneMeans.size(); ++option) {
    const std::size_t output = gene_heads()[head].first + option;
    feedback[output * kGeneSeen + kGeneOutputs + output] = 50;
  }
  const std::vector<float> rows(view.operations() * kGeneOutputs);
  Rng rng(1);
  const std::vector<GeneChoice> choices = GeneDistribution(view, rows, feedback).draw(1, rng);
  for (const GeneChoice& choice : choices) EXPECT_EQ(choice[head], choices[view.sequence().front()][head]);
  const std::vector<GeneChoice> others = GeneDistribution(view, rows, {}).draw(1, rng);
  EXPECT_FALSE(std::ranges::all_of(others, [&](const GeneChoice& choice) { return choice[head] == others[0][head]; }));
}

TEST(GenePolicy, GuidanceIsOfTheOperationThatAGeneIsAbout) {
  const Problem problem = drawn_problem(4);
  const std::unique_ptr<Task> task = make_task(problem, "place+schedule+transfers");
  const std::size_t operations = problem.workload.operation_count();
  std::vector<GeneChoice> choices(operations, standard_choice());
  choices[7][gene_head(GeneKind::priority, GeneAspect::mean)] = 17;
  choices[7][gene_head(GeneKind::priority, GeneAspect::bias)] = 0;
  const GeneGuidance guidance = guidance_of(choices, *task);
  ASSERT_EQ(guidance.distribution.size(), task->sites().size());
  std::size_t changed = 0;
  for (std::size_t i = 0; i < task->sites().size(); ++i) {
    const bool is_it = task->sites()[i].field == PlanField::priority && task->sites()[i].entry == 7;
    changed += is_it ? 1 : 0;
    EXPECT_FLOAT_EQ(guidance.bias[i], is_it ? 0.5F : 0.7F);
    EXPECT_FLOAT_EQ(guidance.distribution[i].alpha, is_it ? 1.8F : 1);
  }
  EXPECT_EQ(changed, 1U);
}

TEST(GenePolicy, TheOptimiserTakesPoliciesOfThisKindAlone) {
  EXPECT_NO_THROW(make_optimizer("regal:policy=zero-step"));
  for (const Objective& objective : {Objective::peak_bytes, Objective::seconds})
    EXPECT_EQ(&Policy::load(policy_for(objective, "regal")).kind(), &gene_policy(GeneOrder::independent));
  EXPECT_THROW(make_optimizer("regal:policy=guided-memory"), InputError);
  EXPECT_THROW(make_optimizer("regal:policy=no-such-policy"), InputError);
}

TEST(GenePolicy, WhatItSaysChangesWhatTheGeneticAlgorithmFinds) {
  const Problem problem = drawn_problem(6);
  const std::unique_ptr<Task> task = make_task(problem, "place+schedule");
  const ObjectiveCost cost(problem);
  const auto found = [&](std::string_view optimizer) {
    Search search(problem, *task, cost, undecided_plan(problem),
                  {.budget = {.evaluations = 300}, .show_progress = false});
    make_optimizer(optimizer)->run(search);
    return search.finish();
  };
  const Solution one = found("regal:policy=untrained"), again = found("regal:policy=untrained");
  EXPECT_EQ(one.plan, again.plan);
  EXPECT_EQ(one.evaluations, 300U);
  EXPECT_NE(one.plan, found("regal:policy=zero-step").plan);
  EXPECT_NE(one.plan, found("regal").plan);
}

TEST(GenePolicy, TheFirstGenerationIsNearTheStartForTimeAlone) {
  const auto found = [](const Objective& objective, std::string_view optimizer) {
    Problem problem = drawn_problem(6);
    problem.objective = objective;
    const std::unique_ptr<Task> task = make_task(problem, "place+schedule");
    const ObjectiveCost cost(problem);
    Search search(problem, *task, cost, undecided_plan(problem),
                  {.budget = {.evaluations = 60}, .show_progress = false});
    make_optimizer(optimizer)->run(search);
    return search.finish().plan;
  };
  EXPECT_EQ(found(Objective::peak_bytes, "regal"), found(Objective::peak_bytes, "regal:memory_near=0"));
  EXPECT_EQ(found(Objective::seconds, "regal"), found(Objective::seconds, "regal:time_near=0.6"));
  EXPECT_NE(found(Objective::seconds, "regal"), found(Objective::seconds, "regal:time_near=0"));
}

}  // namespace
}  // namespace hone
