#include "bench/advantage_results.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hone {
namespace {

AdvantageCurve curve_of(std::vector<AdvantageCurve::Point> points) { return {.points = std::move(points)}; }

TEST(AdvantageResults, RatiosAreOfEvaluationsToTheSameValue) {
  AdvantageContest contest{.graph = "g", .start = "default", .priority = 100};
  contest.curves["random"] = {curve_of({{0, 100}, {400, 90}, {4000, 80}}),
                              curve_of({{0, 100}, {1000, 80.5}, {4500, 80}}), curve_of({{0, 100}, {2000, 80}})};
  contest.curves["guided"] = {curve_of({{0, 100}, {50, 81}, {60, 70}}), curve_of({{0, 100}, {90, 80}}),
                              curve_of({{0, 100}, {100, 75}})};
  contest.curves["never"] = {curve_of({{0, 100}}), curve_of({{0, 100}, {10, 90}}), curve_of({{0, 100}, {10, 79}})};
  EXPECT_DOUBLE_EQ(*contest.samples_ratio("guided", "random"), 90.0 / 2000);
  EXPECT_TRUE(std::isinf(*contest.samples_ratio("never", "random")));
  EXPECT_DOUBLE_EQ(contest.quality_percent("guided", "random"), 100 * (1 - 75.0 / 80));
  EXPECT_DOUBLE_EQ(contest.over_priority_percent(std::vector<std::string>{"guided", "absent"}), 25);
}

TEST(AdvantageResults, WhereNothingIsGainedThereIsNoRatio) {
  AdvantageContest contest;
  contest.curves["random"] = contest.curves["guided"] = {curve_of({{0, 5}})};
  EXPECT_FALSE(contest.samples_ratio("guided", "random").has_value());
}

TEST(AdvantageResults, CurvesAreReadBackAsTheyWere) {
  AdvantageCurve curve = curve_of({{0, 5}, {7, 4.25}});
  curve.cpu_seconds = 2;
  const AdvantageCurve again = AdvantageCurve::of(curve.json());
  EXPECT_EQ(again.points.size(), 2U);
  EXPECT_DOUBLE_EQ(again.best(), 4.25);
  EXPECT_DOUBLE_EQ(again.evaluations_to(4.5), 7);
  EXPECT_DOUBLE_EQ(again.cpu_seconds, 2);
}

}  // namespace
}  // namespace hone
