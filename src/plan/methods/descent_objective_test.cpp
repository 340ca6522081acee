#include "plan/methods/descent_objective.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

Cost cost_of(double peak_bytes, double smooth_peak_bytes) {
  return {.seconds = 1, .peak_bytes = peak_bytes, .smooth_peak_bytes = smooth_peak_bytes};
}

Score measured(const Cost& cost, DescentObjective objective) {
  return score_by(Objective::peak_bytes, cost, objective);
}

TEST(DescentObjective, ScoreTellsPlansOfTheSamePeakApart) {
  EXPECT_LT(measured(cost_of(10, 11), DescentObjective::score), measured(cost_of(10, 12), DescentObjective::score));
  EXPECT_LT(measured(cost_of(9, 12), DescentObjective::score), measured(cost_of(10, 11), DescentObjective::score))
      << "the peak comes first";
}

TEST(DescentObjective, SmoothPeakCountsAlone) {
  EXPECT_LT(measured(cost_of(10, 11), DescentObjective::smooth_peak),
            measured(cost_of(9, 12), DescentObjective::smooth_peak));
}

TEST(DescentObjective, PlansThatNeverEndAreWorst) {
  Cost endless = cost_of(1, 1);
  endless.seconds = std::numeric_limits<double>::infinity();
  endless.obstacle = Obstacle::cycle;
  for (const DescentObjective objective : {DescentObjective::score, DescentObjective::smooth_peak})
    EXPECT_LT(measured(cost_of(10, 11), objective), measured(endless, objective));
}

TEST(DescentObjective, OtherObjectivesKeepTheirScore) {
  const Cost cost = cost_of(10, 11);
  for (const DescentObjective objective : {DescentObjective::score, DescentObjective::smooth_peak})
    EXPECT_EQ(score_by(Objective::seconds, cost, objective), score(Objective::seconds, cost));
}

}  // namespace
}  // namespace hone
