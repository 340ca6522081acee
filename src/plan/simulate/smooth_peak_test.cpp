#include "plan/simulate/smooth_peak.h"

#include <gtest/gtest.h>

#include <vector>

namespace hone {
namespace {

double smooth(const std::vector<double>& levels) {
  SmoothPeak peak;
  for (const double level : levels) peak.add(level);
  return peak.bytes();
}

TEST(SmoothPeak, IsTheLevelWhereThereIsOne) {
  EXPECT_EQ(smooth({}), 0);
  EXPECT_NEAR(smooth({7}), 7, 1e-12);
  EXPECT_NEAR(smooth({3e15}), 3e15, 1e3);
}

TEST(SmoothPeak, LiesAboveThePeakByNoMoreThanTheNumberOfLevelsAllows) {
  const std::vector<double> levels(1000, 64);
  EXPECT_NEAR(smooth(levels), 64 * std::pow(1000, 1.0 / 16), 1e-9);
  EXPECT_GE(smooth({64, 1, 2, 3}), 64);
}

TEST(SmoothPeak, TellsHowManyLevelsAreHigh) {
  EXPECT_LT(smooth({100, 50, 50}), smooth({100, 100, 50}));
  EXPECT_LT(smooth({100, 90}), smooth({100, 91}));
  EXPECT_LT(smooth({99, 99, 99}), smooth({110, 10, 10})) << "the highest counts most";
}

}  // namespace
}  // namespace hone
