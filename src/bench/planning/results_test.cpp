#include "bench/planning/results.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

Solution made_up_solution() {
  Solution solution{.score = {.value = 50}, .seconds = 10, .end = SearchEnd::evaluations};
  solution.curve = {{1, 0.1, {.value = 100}}, {20, 5, {.value = 60}}, {99, 9.9, {.value = 50}}};
  return solution;
}

TEST(PlanningOutcomeTest, KnowsWhatWasBestAtAnyTime) {
  const PlanningOutcome outcome(made_up_solution(), 2);  // processor seconds: a fifth of the wall clock's
  EXPECT_EQ(outcome.after(0), 100);
  EXPECT_EQ(outcome.after(0.9), 100);
  EXPECT_EQ(outcome.after(1.1), 60);
  EXPECT_EQ(outcome.after(1.9), 60);
  EXPECT_EQ(outcome.after(2), 50);
  EXPECT_EQ(outcome.after(100), 50);
  EXPECT_TRUE(outcome.used_up);
}

TEST(PlanningOutcomeTest, IsReadAsItWasWritten) {
  const PlanningOutcome outcome(made_up_solution(), 2), again(outcome.json());
  EXPECT_EQ(again.json(), outcome.json());
  EXPECT_EQ(again.after(1.1), 60);
}

TEST(PlanningResultsTest, MeansAreOverSeeds) {
  PlanningResults results(2);
  const PlanningSearch search{.graph = 3, .budget = 1};
  PlanningSearch other = search;
  other.seed = 1;
  PlanningOutcome outcome(made_up_solution(), 2);
  results.set(search, outcome);
  outcome.value = 70;
  outcome.cpu_seconds = 4;
  results.set(other, outcome);
  EXPECT_EQ(results.mean_value(search), 60);
  EXPECT_EQ(results.mean_value(other), 60);
  EXPECT_EQ(results.mean_cpu_seconds(search), 3);
  EXPECT_FALSE(results.has({.graph = 4}));
}

}  // namespace
}  // namespace hone
