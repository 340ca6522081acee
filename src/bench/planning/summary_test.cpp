#include "bench/planning/summary.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

using nlohmann::ordered_json;

/// Two settings, two budgets, one seed, and one contender of each role that figures are about.
PlanningContest made_up_contest() {
  PlanningContest contest;
  contest.large_operations = 10'000;
  contest.budgets = {100, 5000};
  contest.seeds = 1;
  contest.settings = {{Objective::peak_bytes, "regal-2"}, {Objective::seconds, "p100-4"}};
  contest.standard = "brkga";
  contest.headroom = {contest.settings.front(), 100'000};
  const std::vector<PlanningContender> contenders = {
      {"brkga", ContenderRole::classical}, {"local", ContenderRole::classical},
      {"usual", ContenderRole::usual},     {"regal", ContenderRole::regal},
      {"learned", ContenderRole::learned}, {"learned:policy=none", ContenderRole::without_policy}};
  contest.fields = {{Objective::peak_bytes, "", contenders}, {Objective::seconds, "", contenders}};
  return contest;
}

enum Who : std::size_t { kBrkga, kLocal, kUsual, kRegal, kLearned, kWithoutPolicy, kEverybody };

PlanningOutcome outcome_of(double value, double cpu_seconds = 1) {
  PlanningOutcome outcome;
  outcome.value = value;
  outcome.cpu_seconds = cpu_seconds;
  outcome.course = {200, value, value};
  return outcome;
}

/// Everybody comes to 100 in 1 second everywhere, but for what a test says.
class PlanningSummaryTest : public testing::Test {
 protected:
  PlanningSummaryTest() {
    for (std::size_t graph = 0; graph < graphs_.size(); ++graph)
      for (std::size_t setting = 0; setting < 2; ++setting)
        for (std::size_t contender = 0; contender < kEverybody; ++contender)
          for (std::size_t budget = 0; budget < 2; ++budget)
            results_.set({graph, setting, contender, budget, 0}, outcome_of(100));
  }

  void set(std::size_t graph, std::size_t setting, Who who, const PlanningOutcome& outcome, std::size_t budget = 1) {
    results_.set({graph, setting, who, budget, 0}, outcome);
  }
  ordered_json summary() const { return planning_report(graphs_, PlanningGains(contest_, results_)).summary; }

  PlanningContest contest_ = made_up_contest();
  std::vector<GraphLabel> graphs_ = {{"a", "one", GraphOrigin::real, 1000},
                                     {"b", "two", GraphOrigin::real, 12'000, true},
                                     {"c", "random", GraphOrigin::synthetic, 700}};
  PlanningResults results_{1};
};

double value_of(const ordered_json& figure) { return figure.at("value"); }

TEST_F(PlanningSummaryTest, MeasuresByTheBestRivalOfEachGraph) {
  set(0, 0, kLocal, outcome_of(90));
  set(0, 0, kLearned, outcome_of(81));
  set(1, 0, kWithoutPolicy, outcome_of(80));
  set(1, 0, kLearned, outcome_of(88));
  const ordered_json figures = summary();
  EXPECT_NEAR(value_of(figures["memory_over_best_percent"]), 0, 1e-9);  // 10 below local, 10 above no policy
  EXPECT_NEAR(value_of(figures["seconds_over_best_percent"]), 0, 1e-9);
  EXPECT_NEAR(value_of(figures["policy_percent"]["memory"]), (19.0 - 10) / 2, 1e-9);
  EXPECT_NEAR(value_of(figures["policy_percent"]), (19.0 - 10) / 4, 1e-9);
  EXPECT_NEAR(value_of(figures["win_percent"]["memory"]), 50, 1e-9);
  EXPECT_NEAR(value_of(figures["win_percent"]), 25, 1e-9);
  EXPECT_NEAR(value_of(figures["worst_percent"]), -10, 1e-9);
  EXPECT_NEAR(value_of(figures["large"]["memory_over_best_percent"]), -10, 1e-9);
  EXPECT_NEAR(value_of(figures["modules"]["memory_over_best_percent"]), -10, 1e-9);
  EXPECT_EQ(figures["large"]["graphs"], 1);
  EXPECT_LT(figures["memory_over_best_percent"]["low"], 0);
  EXPECT_GT(figures["memory_over_best_percent"]["high"], 0);
}

TEST_F(PlanningSummaryTest, RandomGraphsAreApart) {
  set(2, 0, kLearned, outcome_of(50));
  const ordered_json figures = summary();
  EXPECT_NEAR(value_of(figures["memory_over_best_percent"]), 0, 1e-9);
  EXPECT_NEAR(value_of(figures["synthetic"]["memory_over_best_percent"]), 50, 1e-9);
  EXPECT_EQ(figures["graphs"], 2);
}

TEST_F(PlanningSummaryTest, TheLeastBudgetIsComparedWithItsOwnBest) {
  set(0, 1, kLocal, outcome_of(50));  // with the larger budget
  set(0, 1, kLearned, outcome_of(80), 0);
  EXPECT_NEAR(value_of(summary()["at_100_percent"]["seconds"]), 10, 1e-9);  // 20 and 0 on the two graphs
}

TEST_F(PlanningSummaryTest, HeadroomIsWhatTheLongSearchGains) {
  set(0, 0, kRegal, outcome_of(95));
  set(1, 0, kRegal, outcome_of(97));
  results_.reach(0, 90);
  results_.reach(1, 94);
  const ordered_json figures = summary();
  EXPECT_NEAR(value_of(figures["regal_over_brkga_percent"]), 4, 1e-9);
  EXPECT_NEAR(value_of(figures["headroom_captured"]), 0.5, 1e-9);
}

TEST_F(PlanningSummaryTest, OverheadIsOfProcessorSeconds) {
  set(0, 0, kLearned, outcome_of(100, 1.4));
  EXPECT_NEAR(value_of(summary()["overhead_percent"]["memory"]), 20, 1e-9);
  EXPECT_NEAR(value_of(summary()["overhead_percent"]["seconds"]), 0, 1e-9);
}

TEST_F(PlanningSummaryTest, SaysWhichFiguresChangeTheirSignAtEqualSeconds) {
  set(0, 0, kLearned, outcome_of(90, 8));  // after an eighth of its time it has nothing yet
  const ordered_json figures = summary();
  EXPECT_NEAR(value_of(figures["memory_over_best_percent"]), 5, 1e-9);
  EXPECT_NEAR(value_of(figures["equal_seconds"]["memory_over_best_percent"]), -50, 1e-9);
  EXPECT_EQ(figures["equal_seconds"]["sign_changes"], (ordered_json{"memory_over_best_percent", "policy_percent"}));
}

TEST_F(PlanningSummaryTest, WhoEndsByItselfNeedsNoMoreTime) {
  PlanningOutcome quick = outcome_of(100, 0.001);
  quick.used_up = false;
  for (const Who who : {kBrkga, kLocal, kUsual, kWithoutPolicy}) set(0, 0, who, quick);
  set(0, 0, kLearned, outcome_of(90, 8));
  EXPECT_NEAR(value_of(summary()["equal_seconds"]["memory_over_best_percent"]), 5, 1e-9);
}

TEST_F(PlanningSummaryTest, TheDefaultIsHeldAgainstTheBestSingleMethod) {
  set(1, 1, kUsual, outcome_of(103));
  set(1, 1, kLearned, outcome_of(50));
  EXPECT_NEAR(value_of(summary()["default_worst_percent"]), -3, 1e-9);
}

TEST_F(PlanningSummaryTest, WhoDoesNotTakePartHasNoFigures) {
  for (PlanningField& field : contest_.fields) field.contenders.resize(kUsual);
  const ordered_json figures = summary();
  for (const char* name : {"memory_over_best_percent", "policy_percent", "regal_over_brkga_percent",
                           "headroom_captured", "overhead_percent", "default_worst_percent"})
    EXPECT_TRUE(figures[name].is_null()) << name;
  EXPECT_EQ(figures["methods"].size(), 4U);
}

TEST_F(PlanningSummaryTest, EveryContenderHasARowForEveryBudget) {
  set(0, 0, kLocal, outcome_of(80));
  const BenchReport report = planning_report(graphs_, PlanningGains(contest_, results_));
  EXPECT_EQ(report.rows.size(), 3U * 2 * kEverybody * 2);
  EXPECT_EQ(report.rows[1]["optimizer"], "brkga");
  EXPECT_EQ(report.rows[1]["evaluations"], 5000);
  EXPECT_NEAR(report.rows[1]["over_best_percent"].get<double>(), -25, 1e-9);
  const ordered_json& brkga = report.summary["methods"][0];
  EXPECT_NEAR(value_of(brkga["at_5000"]), -12.5, 1e-9);
  EXPECT_NEAR(value_of(brkga["regal-2"]), -12.5, 1e-9);
  EXPECT_NEAR(value_of(brkga["at_100"]), 0, 1e-9);
}

}  // namespace
}  // namespace hone
