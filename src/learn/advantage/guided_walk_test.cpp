#include "learn/advantage/guided_walk.h"

#include <gtest/gtest.h>

#include <cmath>

#include "learn/advantage/calibration.h"
#include "learn/advantage/decision_worth.h"
#include "plan/fuse/random_loops_test.h"
#include "plan/methods/neighborhood.h"
#include "plan/solve/solve.h"

namespace hone {
namespace {

Problem loops_for_walks(std::uint64_t seed, std::size_t operations) {
  Rng rng(seed);
  Problem problem = random_loops(rng, operations);
  problem.objective = Objective::seconds;
  return problem;
}

TEST(DecisionUnits, ReadsOfOneOperationAreAlsoOneUnit) {
  const Problem problem = loops_for_walks(1, 30);
  const std::unique_ptr<Task> task = make_task(problem, "fuse-edges", undecided_plan(problem));
  const DecisionUnits units(problem, *task);
  EXPECT_EQ(units.single_count(), task->sites().size());
  ASSERT_GT(units.size(), units.single_count());
  Decisions row(task->sites().size(), key_of(0, 3));
  const std::size_t bundle = units.single_count();
  units.set(row, bundle, 2);
  EXPECT_TRUE(units.has_option(row, bundle, 2));
  for (std::uint32_t unit = 0; unit < units.single_count(); ++unit)
    EXPECT_EQ(units.option(row, unit), units.at(unit).operation == units.at(bundle).operation ? 2U : 0U);
}

/// Of one operation computed by its only reader nothing else changes, so that what is seen is what comes of it.
TEST(AdvantageFeatures, SeeWhatAChangeOfOneKernelCosts) {
  std::size_t right = 0, seen = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Problem problem = loops_for_walks(seed, 16);
    const Plan start = undecided_plan(problem);
    const std::unique_ptr<Task> task = make_task(problem, "fuse", start);
    const DecisionUnits units(problem, *task);
    AdvantageFeatures features(problem, *task, units, start);
    const Decisions row = task->encode(start);
    features.set(row);
    const std::unique_ptr<Evaluator> evaluator = evaluator_for(problem);
    const double now = evaluator->evaluate(start).seconds;
    for (std::uint32_t unit = 0; unit < units.size(); ++unit) {
      Decisions other = row;
      units.set(other, unit, 1);
      Plan plan = start;
      task->apply(other, plan);
      const double change = evaluator->evaluate(plan).seconds - now;
      ++seen;
      right += std::abs(features.estimate({unit, 1}) - change) < 1e-9 * now ? 1 : 0;
    }
  }
  EXPECT_GT(seen, 100U);
  EXPECT_GT(static_cast<double>(right), 0.9 * static_cast<double>(seen));
}

TEST(AdvantageModel, FollowsWhatIsObserved) {
  const Policy policy = advantage_policy_named("zero-step", Objective::seconds);
  AdvantageModel model(policy);
  Rng rng(2);
  std::vector<float> basis(model.basis_size());
  const auto draw = [&] {
    for (float& value : basis) value = static_cast<float>(rng.normal());
    return 0.7 * basis[3] - 0.2 * basis.back();
  };
  double before = 0, after = 0;
  for (int i = 0; i < 4000; ++i) {
    const double label = draw() + basis[model.basis_size() - kCandidateColumns - 1 + kEstimateColumn];
    const double error = std::abs(model.predict(basis, AdvantageOutput::advantage) - label);
    (i < 100 ? before : after) += i < 100 || i >= 3900 ? error / 100 : 0;
    model.learn(basis, label);
  }
  EXPECT_LT(after, 0.1 * before);
}

TEST(Calibration, CountsWhatIsLargeAndOnTheRightSide) {
  std::vector<float> labels, predicted;
  for (int i = 0; i < 100; ++i) {
    labels.push_back(static_cast<float>(i < 10 ? 5 + i : i % 3) / 2);
    predicted.push_back(labels.back() + (i == 3 ? -9.0F : 0.0F));
  }
  const AdvantageCalibration all = calibration_of(labels, labels);
  EXPECT_DOUBLE_EQ(all.large, 1);
  EXPECT_DOUBLE_EQ(all.sign, 1);
  EXPECT_DOUBLE_EQ(all.explained, 1);
  const AdvantageCalibration some = calibration_of(predicted, labels);
  EXPECT_LT(some.explained, 0.7);
  EXPECT_LT(some.sign, 1);
}

/// Both forms as published, and all that was added: from random decisions, by what is kept on the way.
TEST(GuidedWalk, FindsMoreThanRandomSearch) {
  double guided = 0, unguided = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Problem problem = loops_for_walks(seed, 120);
    for (const auto& [spec, sum] : {std::pair("advantage", &guided), std::pair("advantage:policy=none", &unguided)}) {
      const Solution solution = solve(problem, "fuse-edges", spec, {.budget = {.evaluations = 200}, .seed = seed});
      for (std::size_t i = 1; i < solution.curve.size(); ++i)
        ASSERT_LT(solution.curve[i].score, solution.curve[i - 1].score);
      *sum += solution.cost.seconds;
    }
  }
  EXPECT_LT(guided, 0.95 * unguided);
}

TEST(GuidedWalk, EveryFormIsTheSameOnAnyNumberOfThreads) {
  const Problem problem = loops_for_walks(9, 60);
  for (const char* spec : {"advantage", "advantage:rank=absolute,flips=single,learning=offline",
                           "advantage:flips=single", "local:aim=advantage", "advantage:policy=untrained"})
    for (const char* tasks : {"fuse", "fuse-levels", "fuse-edges"}) {
      const auto run = [&](std::size_t threads) {
        return solve(problem, tasks, spec, {.budget = {.evaluations = 150}, .seed = 4, .threads = threads});
      };
      EXPECT_EQ(run(1).plan, run(2).plan) << spec << " on " << tasks;
    }
}

TEST(DecisionWorth, IsWhatUndoingADecisionCosts) {
  const Problem problem = loops_for_walks(12, 60);
  const Plan plan = solve(problem, "fuse-edges", "fuse-priority", {.budget = {.evaluations = 2}}).plan;
  const ValuedDecisions found = most_valuable_decisions(problem, plan, 10);
  ASSERT_FALSE(found.decisions.empty());
  EXPECT_LE(found.decisions.size(), 10U);
  const std::unique_ptr<Task> task = make_task(problem, "fuse-edges", plan);
  const DecisionUnits units(problem, *task);
  const std::unique_ptr<Evaluator> evaluator = evaluator_for(problem);
  EXPECT_NEAR(found.value, evaluator->evaluate(plan).seconds, 1e-12);
  for (const DecisionWorth& decision : found.decisions) {
    Decisions row = task->encode(plan);
    for (std::uint32_t unit = 0; unit < units.single_count(); ++unit)
      if (units.at(unit).operation == decision.operation &&
          (!decision.reader.valid() || units.at(unit).reader == decision.reader))
        units.set(row, unit, decision.other);
    Plan other = plan;
    task->apply(row, other);
    EXPECT_NEAR(evaluator->evaluate(other).seconds - found.value, decision.worth, 1e-12);
  }
  for (std::size_t i = 1; i < found.decisions.size(); ++i)
    EXPECT_LE(found.decisions[i].worth, found.decisions[i - 1].worth);
}

}  // namespace
}  // namespace hone
