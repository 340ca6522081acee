#include "learn/policy/yardstick.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

Cost cost_of(double peak_bytes, double smooth_peak_bytes) {
  return {.seconds = 1, .peak_bytes = peak_bytes, .smooth_peak_bytes = smooth_peak_bytes};
}

Score measured(const Cost& cost, Yardstick yardstick) { return score_by(Objective::peak_bytes, cost, yardstick); }

TEST(Yardstick, ScoreTellsPlansOfTheSamePeakApart) {
  EXPECT_LT(measured(cost_of(10, 11), Yardstick::score), measured(cost_of(10, 12), Yardstick::score));
  EXPECT_LT(measured(cost_of(9, 12), Yardstick::score), measured(cost_of(10, 11), Yardstick::score))
      << "the peak comes first";
}

TEST(Yardstick, SmoothPeakCountsAlone) {
  EXPECT_LT(measured(cost_of(10, 11), Yardstick::smooth_peak), measured(cost_of(9, 12), Yardstick::smooth_peak));
}

TEST(Yardstick, PlansThatNeverEndAreWorst) {
  Cost endless = cost_of(1, 1);
  endless.seconds = std::numeric_limits<double>::infinity();
  endless.obstacle = Obstacle::cycle;
  for (const Yardstick yardstick : {Yardstick::score, Yardstick::smooth_peak})
    EXPECT_LT(measured(cost_of(10, 11), yardstick), measured(endless, yardstick));
}

TEST(Yardstick, OtherObjectivesKeepTheirScore) {
  const Cost cost = cost_of(10, 11);
  for (const Yardstick yardstick : {Yardstick::score, Yardstick::smooth_peak})
    EXPECT_EQ(score_by(Objective::seconds, cost, yardstick), score(Objective::seconds, cost));
}

}  // namespace
}  // namespace hone
