#include "plan/search/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>

#include "base/interrupt.h"
#include "bench/random_problem.h"
#include "plan/simulate/simulated_cost.h"

namespace hone {
namespace {

/// A search over all decisions of a random problem, and rows of random decisions for it.
struct SearchTest : testing::Test {
  static Problem random_problem() {
    Rng rng(11);
    Workload workload = random_workload(rng, 40);
    return {.workload = std::move(workload), .machine = random_machine(rng), .objective = Objective::seconds};
  }

  Decisions random_rows(std::size_t count) const {
    Rng rng(5);
    Decisions rows(count * task->sites().size());
    for (float& key : rows) key = static_cast<float>(rng.below(1 << 24)) * 0x1.0p-24F;
    return rows;
  }

  Search search(const Budget& budget, std::size_t threads = 1) const {
    return Search(problem, *task, SimulatedCost(problem), undecided_plan(problem),
                  {.budget = budget, .threads = threads});
  }

  Problem problem = random_problem();
  std::unique_ptr<Task> task = make_task(problem, "place+schedule+transfers");
};

TEST_F(SearchTest, SpendsItsEvaluationsAndNoMore) {
  Search limited = search({.evaluations = 51});
  EXPECT_EQ(limited.evaluate(random_rows(40)).size(), 40U);
  EXPECT_EQ(limited.evaluate(random_rows(40)).size(), 10U);
  EXPECT_TRUE(limited.spent());
  EXPECT_TRUE(limited.evaluate(random_rows(1)).empty());
  EXPECT_EQ(limited.finish().evaluations, 51U);
}

TEST_F(SearchTest, KnowsHowMuchIsSpentAndAskingForBlameSpends) {
  Search limited = search({.evaluations = 50});
  limited.evaluate(random_rows(24));
  EXPECT_EQ(limited.share_spent(), 0.5);
  EXPECT_FALSE(limited.blame(random_rows(1)).empty());
  EXPECT_EQ(limited.share_spent(), 0.52);
  limited.evaluate(random_rows(40));
  EXPECT_EQ(limited.share_spent(), 1);
  EXPECT_TRUE(limited.blame(random_rows(1)).empty());
  EXPECT_LT(search({}).share_spent(), 1e-9) << "without an end nothing counts";
}

TEST_F(SearchTest, TracesAPlanThatItEvaluates) {
  Search limited = search({.evaluations = 2});
  const Decisions row = random_rows(1);
  const std::optional<Timeline> timeline = limited.trace(row);
  ASSERT_TRUE(timeline.has_value());
  EXPECT_EQ(timeline->runs.size(), problem.workload.operation_count());
  Plan plan = undecided_plan(problem);
  task->apply(row, plan);
  for (const Timeline::Run& run : timeline->runs) EXPECT_EQ(run.device, plan.device_of[run.group.index()]);
  EXPECT_FALSE(limited.trace(row).has_value()) << "the budget is spent";
  EXPECT_EQ(limited.finish().evaluations, 2U);
}

TEST_F(SearchTest, StopsWhenTimeIsUp) {
  Search hasty = search({.seconds = 0});
  EXPECT_TRUE(hasty.evaluate(random_rows(40)).empty());
  EXPECT_EQ(hasty.finish().plan, undecided_plan(problem));
}

TEST_F(SearchTest, CostsAreTheSameOnAnyNumberOfThreads) {
  const Decisions rows = random_rows(100);
  Search alone = search({});
  Search together = search({}, 3);
  const std::span<const Cost> one = alone.evaluate(rows);
  const std::span<const Cost> many = together.evaluate(rows);
  EXPECT_TRUE(std::ranges::equal(one, many));
  EXPECT_EQ(alone.finish().plan, together.finish().plan);
}

TEST_F(SearchTest, EndsAtTheSameEvaluationOnAnyNumberOfThreads) {
  const Decisions rows = random_rows(100);
  Search unbounded = search({});
  unbounded.evaluate(rows);
  const Solution best = unbounded.finish();
  for (const std::size_t threads : {1, 3}) {
    Search proved = search({}, threads);
    proved.prove(best.score.value);
    EXPECT_EQ(proved.evaluate(rows).size() + 1, best.curve.back().evaluations) << threads;
    EXPECT_EQ(proved.finish().evaluations, best.curve.back().evaluations) << threads;
  }
}

TEST_F(SearchTest, TheCurveFallsToTheBest) {
  Search any = search({});
  any.evaluate(random_rows(200));
  const Solution solution = any.finish();
  for (std::size_t i = 1; i < solution.curve.size(); ++i) {
    EXPECT_LT(solution.curve[i].score, solution.curve[i - 1].score);
    EXPECT_GT(solution.curve[i].evaluations, solution.curve[i - 1].evaluations);
  }
  EXPECT_EQ(solution.curve.back().score, solution.score);
  EXPECT_EQ(SimulatedCost(problem).evaluate(solution.plan), solution.cost);
}

TEST_F(SearchTest, CtrlCKeepsTheBestSoFar) {
  const InterruptGuard guard;
  Search stopped = search({});
  stopped.evaluate(random_rows(50));
  const Score best = stopped.best();
  std::raise(SIGINT);
  EXPECT_TRUE(stopped.spent());
  EXPECT_TRUE(stopped.evaluate(random_rows(50)).empty());
  const Solution solution = stopped.finish();
  EXPECT_EQ(solution.end, SearchEnd::interrupted);
  EXPECT_EQ(solution.score, best);
}

TEST_F(SearchTest, EndsWhenNothingBetterExists) {
  Search proved = search({});
  EXPECT_FALSE(proved.spent());
  proved.prove(proved.best().value / 2);
  EXPECT_FALSE(proved.spent());
  proved.prove(proved.best().value);
  proved.prove(0);  // says less than is known
  EXPECT_TRUE(proved.spent());
  EXPECT_TRUE(proved.evaluate(random_rows(3)).empty());
  const Solution solution = proved.finish();
  EXPECT_TRUE(solution.optimal());
  EXPECT_EQ(solution.bound, solution.score.value);
}

TEST(Score, WhatFitsComesBeforeWhatIsFast) {
  const Cost fits{.seconds = 2};
  const Cost overflows{.seconds = 1, .overflow_bytes = 8, .obstacle = Obstacle::memory};
  EXPECT_LT(score(Objective::seconds_in_memory, fits), score(Objective::seconds_in_memory, overflows));
  EXPECT_LT(score(Objective::seconds, overflows), score(Objective::seconds, fits));
  EXPECT_LT(score(Objective::seconds, fits), score(Objective::seconds, {.obstacle = Obstacle::cycle}));
}

}  // namespace
}  // namespace hone
