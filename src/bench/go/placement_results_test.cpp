#include "bench/go/placement_results.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

PlacementOutcome took(double seconds, std::vector<PlacementOutcome::Point> curve = {}) {
  PlacementOutcome outcome;
  outcome.seconds = seconds;
  outcome.evaluations = 1000;
  outcome.curve = std::move(curve);
  return outcome;
}

/// Contenders by place: expert, list-search with two seeds, hdp in two settings, go on one graph, zero-shot, search.
PlacementContest small_contest() {
  return {.contenders = {{.column = "expert", .role = PlacerRole::expert},
                         {.column = "list-search", .role = PlacerRole::classical, .seeds = 2},
                         {.column = "hdp", .role = PlacerRole::hdp},
                         {.column = "hdp", .role = PlacerRole::hdp},
                         {.column = "go-one", .role = PlacerRole::one},
                         {.column = "go-zero-shot", .role = PlacerRole::zero_shot},
                         {.column = "go+list-search", .role = PlacerRole::go_search, .seeds = 2}}};
}

PlacementRow filled_row(const PlacementContest& contest) {
  PlacementRow row(contest, {.name = "graph"}, 10);
  row.set(0, 0, took(10));
  row.add_expert(8);
  row.set(1, 0, took(5));
  row.set(1, 1, took(3));
  row.set(2, 0, took(6, {{1, 9}, {900, 6}}));
  row.set(3, 0, took(7, {{1, 9}, {10, 7}}));
  row.set(4, 0, took(4, {{1, 9}, {30, 6}, {500, 4}}));
  row.set(5, 0, took(7));
  row.set(6, 0, took(3));
  row.set(6, 1, took(3));
  return row;
}

TEST(PlacementResults, ColumnsHaveTheBestSettingAndTheMeanOfSeeds) {
  const PlacementContest contest = small_contest();
  const nlohmann::ordered_json row = filled_row(contest).json();
  EXPECT_EQ(row["expert"], 8.0);  // the split by layers
  EXPECT_EQ(row["list-search"], 4.0);
  EXPECT_EQ(row["hdp"], 6.0);
}

TEST(PlacementResults, WhatDoesNotFitSaysSo) {
  const PlacementContest contest = small_contest();
  PlacementRow row(contest, {.name = "graph"}, 10);
  row.set(0, 0, PlacementOutcome());
  EXPECT_EQ(row.json()["expert"], "OOM");
  EXPECT_TRUE(row.json()["hdp"].is_null());
  EXPECT_EQ(row.best_classical(), std::nullopt);
}

TEST(PlacementResults, FiguresAreThoseOfTheIssue) {
  const PlacementContest contest = small_contest();
  const PlacementRow row = filled_row(contest);
  const nlohmann::ordered_json summary = placement_summary(std::span(&row, 1));
  EXPECT_DOUBLE_EQ(summary["over_expert_percent"]["value"], 50);
  EXPECT_NEAR(summary["over_hdp_percent"]["value"], 100. / 3, 1e-9);
  EXPECT_DOUBLE_EQ(summary["zero_shot_better_percent"]["value"], 100);
  EXPECT_DOUBLE_EQ(summary["go_search_over_best_percent"]["value"], 25);
  EXPECT_NEAR(summary["samples_ratio"]["value"], 30. / 900, 1e-9);
  EXPECT_FALSE(summary.contains("fine_tuned_percent"));
}

TEST(PlacementResults, OutcomesAreKeptWhole) {
  const PlacementOutcome outcome = took(4, {{1, 9}, {30, 6}});
  EXPECT_EQ(PlacementOutcome(outcome.json()).json(), outcome.json());
  EXPECT_EQ(outcome.reached(7), std::optional<std::uint64_t>(30));
  EXPECT_EQ(outcome.reached(5), std::nullopt);
}

TEST(PlacementContest, IsReadAsItStands) {
  const PlacementContest contest = placement_contest();
  EXPECT_EQ(contest.graphs.size(), 14U);
  for (const PlacementContender& contender : contest.contenders) EXPECT_GT(contender.evaluations, 0U);
}

}  // namespace
}  // namespace hone
