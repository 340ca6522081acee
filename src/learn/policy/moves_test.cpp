#include "learn/policy/moves.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "bench/random_problem.h"
#include "learn/policy/gene_marginals.h"
#include "learn/policy/guided_descent.h"
#include "plan/machine/machine_file.h"
#include "plan/problem/check.h"
#include "plan/search/optimizer.h"
#include "plan/simulate/objective_cost.h"

namespace hone {
namespace {

Problem problem_of(std::uint64_t seed) {
  return {.workload = layered_training_workload(60, seed),
          .machine = load_machine("regal-2"),
          .objective = Objective::peak_bytes};
}

/// A search with something to move in it.
struct Case {
  explicit Case(std::uint64_t seed, std::string_view tasks = "place+schedule")
      : problem(problem_of(seed)),
        task(make_task(problem, tasks)),
        search(problem, *task, ObjectiveCost(problem), undecided_plan(problem),
               {.budget = {.evaluations = 4000}, .seed = seed, .show_progress = false}),
        graph(problem),
        plan(search, graph, 0.9) {
    plan.go_to(task->encode(search.start()));
  }

  Plan applied() const {
    Plan applied = search.start();
    task->apply(plan.decisions(), applied);
    return applied;
  }

  Problem problem;
  std::unique_ptr<Task> task;
  Search search;
  GraphView graph;
  MovingPlan plan;
};

TEST(Moves, PlayingAPlanThroughChangesNothingAboutIt) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Case at(seed);
    ObjectiveCost cost(at.problem);
    Rng rng(seed);
    Decisions anything(at.task->sites().size());
    for (float& key : anything) key = static_cast<float>(rng.uniform());
    at.plan.go_to(anything);
    const Cost before = cost.evaluate(at.applied());
    ASSERT_TRUE(at.plan.play());
    EXPECT_EQ(cost.evaluate(at.applied()), before) << seed;
  }
}

TEST(Moves, LeadToValidPlansOfAllKinds) {
  std::array<int, static_cast<std::size_t>(MoveKind::count)> drawn{};
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Case at(seed, "place+schedule+transfers");
    ASSERT_TRUE(at.plan.play());
    Rng rng(seed);
    for (int i = 0; i < 300; ++i) {
      const std::optional<PlanMove> move = at.plan.draw(rng);
      if (!move) continue;
      ++drawn[static_cast<std::size_t>(move->kind)];
      for (const float feature : move->features) EXPECT_TRUE(std::isfinite(feature));
      Decisions row = at.plan.decisions();
      at.plan.write(*move, row);
      EXPECT_NE(row, at.plan.decisions());
      at.plan.take(*move);
      EXPECT_EQ(row, at.plan.decisions());
      EXPECT_EQ(check(at.problem.workload, at.problem.machine, at.applied()), std::nullopt);
    }
  }
  for (const int count : drawn) EXPECT_GT(count, 10);
}

TEST(Moves, InTheOrderKeepOperationsBehindWhatTheyWaitFor) {
  Case at(3);
  ASSERT_TRUE(at.plan.play());
  PlanInTime plan(at.graph);
  Simulator simulator(std::make_shared<SimulatorTables>(at.problem.workload, at.problem.machine));
  plan.see(simulator.trace(at.applied()), {});
  Moves moves(plan, 0);
  Rng rng(3);
  for (int i = 0; i < 500; ++i) {
    const std::optional<PlanMove> move = moves.draw(rng);
    if (!move || !move->is_in_order()) continue;
    plan.set_stretch(moves.stretch(*move));
    for (std::uint32_t operation = 0; operation < at.graph.operations(); ++operation) {
      ASSERT_EQ(plan.order()[plan.position(operation)], operation);
      for (const std::uint32_t before : at.graph.before(operation))
        ASSERT_LT(plan.position(before), plan.position(operation));
    }
  }
}

TEST(GuidedDescent, NeverEndsWorseThanItBeganAndTheSameEveryTime) {
  const auto value = [](DescentObjective objective) {
    Case at(5);
    const double before = at.search.best().value;
    const MoveWeights blind{std::vector<float>(kMoveFeatures)};
    GuidedDescent(at.search, at.graph, blind, {}).run(at.task->encode(at.search.start()), 1, objective);
    EXPECT_LT(at.search.best().value, before);
    return at.search.finish().score.value;
  };
  for (const DescentObjective objective : {DescentObjective::score, DescentObjective::smooth_peak})
    EXPECT_EQ(value(objective), value(objective));
}

TEST(GuidedDescent, TriesWhatThePolicyLikes) {
  MoveWeights weights{std::vector<float>(kMoveFeatures)};
  weights.rows[static_cast<std::size_t>(MoveFeature::pull)] = 5;
  const PlanMove pull{.kind = MoveKind::pull, .features = [] {
                        MoveFeatures features{};
                        features[static_cast<std::size_t>(MoveFeature::pull)] = 1;
                        return features;
                      }()};
  EXPECT_FLOAT_EQ(static_cast<float>(logit_of(weights, pull)), 5);
  EXPECT_FLOAT_EQ(static_cast<float>(logit_of(weights, PlanMove{})), 0);
}

TEST(GuidedDescent, EndsWhereNothingCanMove) {
  WorkloadBuilder builder("one");
  const BufferId made = builder.add_buffer({.bytes = 8});
  builder.add_operation({.flops = 1}, {}, std::span(&made, 1));
  const Problem problem{
      .workload = std::move(builder).build(), .machine = load_machine("regal-2"), .objective = Objective::peak_bytes};
  const std::unique_ptr<Task> task = make_task(problem, "place+schedule");
  Search search(problem, *task, ObjectiveCost(problem), undecided_plan(problem),
                {.budget = {.evaluations = 50}, .show_progress = false});
  make_optimizer("guided:policy=untrained")->run(search);
  EXPECT_LE(search.finish().score.value, 8);
}

TEST(GuidedDescent, CopesWithEverythingTheSimulatorHasRulesFor) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Rng rng(seed);
    Workload workload = random_workload(rng, 30);
    const Problem problem{
        .workload = std::move(workload), .machine = random_machine(rng), .objective = Objective::peak_bytes};
    const std::unique_ptr<Task> task = make_task(problem, "place+schedule+transfers");
    Search search(problem, *task, ObjectiveCost(problem), undecided_plan(problem),
                  {.budget = {.evaluations = 300}, .seed = seed, .show_progress = false});
    make_optimizer("guided:policy=untrained")->run(search);
    EXPECT_EQ(check(problem.workload, problem.machine, search.finish().plan), std::nullopt) << seed;
  }
}

TEST(GeneMarginals, HaveTheMeanOfWhatTheyComeFrom) {
  const std::vector<Decisions> plans = {{0.2F, 0.5F}, {0.4F, 0.5F}, {0.3F, 0.5F}};
  const std::vector<GeneGuidance::Beta> marginals = marginals_of(plans);
  ASSERT_EQ(marginals.size(), 2U);
  EXPECT_NEAR(marginals[0].alpha / (marginals[0].alpha + marginals[0].beta), 0.3, 1e-5);
  EXPECT_NEAR(marginals[1].alpha, marginals[1].beta, 1e-3);
  EXPECT_GT(marginals[1].alpha, marginals[0].alpha);  // all agree
  EXPECT_TRUE(marginals_of({}).empty());
}

}  // namespace
}  // namespace hone
