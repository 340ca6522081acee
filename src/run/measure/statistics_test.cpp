#include "run/measure/statistics.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(StatisticsTest, QuantilesLieOnLinesBetweenValues) {
  const std::vector<double> values{1, 2, 4, 8};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 3);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 8);
  EXPECT_DOUBLE_EQ(median({5, 1, 3}), 3);
}

TEST(StatisticsTest, MiddleMeanIgnoresTheOuterQuarters) {
  EXPECT_DOUBLE_EQ(middle_mean({1000, 2, 4, -50}), 3);
  EXPECT_DOUBLE_EQ(middle_mean({7}), 7);
}

TEST(StatisticsTest, SummaryOfAFewRuns) {
  const LatencySummary summary = summarize_latency({4, 2, 3, 1});
  EXPECT_EQ(summary.runs, 4u);
  EXPECT_DOUBLE_EQ(summary.median, 2.5);
  EXPECT_DOUBLE_EQ(summary.mean, 2.5);
  EXPECT_NEAR(summary.deviation, 1.29099, 1e-5);
  EXPECT_DOUBLE_EQ(summary.shortest, 1);
  EXPECT_DOUBLE_EQ(summary.longest, 4);
}

TEST(StatisticsTest, DriftComparesTheEndsOfASeries) {
  std::vector<double> seconds;
  for (int i = 0; i < 30; ++i) seconds.push_back(i < 15 ? 1.0 : 1.1);
  EXPECT_NEAR(drift_of(seconds), 0.1, 1e-9);
  EXPECT_DOUBLE_EQ(drift_of(std::vector<double>{1, 9}), 0);
}

}  // namespace
}  // namespace hone
