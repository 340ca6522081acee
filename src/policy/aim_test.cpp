#include "policy/aim.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

Cost cost_of(double peak_bytes, double smooth_peak_bytes) {
  return {.seconds = 1, .peak_bytes = peak_bytes, .smooth_peak_bytes = smooth_peak_bytes};
}

Score aimed(const Cost& cost, Aim aim) { return aimed_score(Objective::peak_bytes, cost, aim); }

TEST(Aim, ScoreTellsPlansOfTheSamePeakApart) {
  EXPECT_LT(aimed(cost_of(10, 11), Aim::score), aimed(cost_of(10, 12), Aim::score));
  EXPECT_LT(aimed(cost_of(9, 12), Aim::score), aimed(cost_of(10, 11), Aim::score)) << "the peak comes first";
}

TEST(Aim, SmoothPeakCountsAlone) {
  EXPECT_LT(aimed(cost_of(10, 11), Aim::smooth_peak), aimed(cost_of(9, 12), Aim::smooth_peak));
}

TEST(Aim, PlansThatNeverEndAreWorst) {
  Cost endless = cost_of(1, 1);
  endless.seconds = std::numeric_limits<double>::infinity();
  endless.obstacle = Obstacle::cycle;
  for (const Aim aim : {Aim::score, Aim::smooth_peak}) EXPECT_LT(aimed(cost_of(10, 11), aim), aimed(endless, aim));
}

TEST(Aim, OtherObjectivesKeepTheirScore) {
  const Cost cost = cost_of(10, 11);
  for (const Aim aim : {Aim::score, Aim::smooth_peak})
    EXPECT_EQ(aimed_score(Objective::seconds, cost, aim), score(Objective::seconds, cost));
}

}  // namespace
}  // namespace hone
