#include "bench/planning/interval.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace hone {
namespace {

TEST(IntervalTest, OfManyGraphsIsThatOfTheNormalDistribution) {
  Rng rng(7);
  std::vector<GraphShare> shares(400);
  for (GraphShare& share : shares) share.part = 5 + 2 * rng.normal();
  const GraphFigure figure = over_graphs(shares);
  EXPECT_NEAR(figure.value, 5, 0.3);
  EXPECT_NEAR(figure.value - figure.low, 1.96 * 2 / std::sqrt(400.0), 0.03);
  EXPECT_NEAR(figure.high - figure.value, 1.96 * 2 / std::sqrt(400.0), 0.03);
  EXPECT_EQ(figure.graphs, 400U);
}

/// Sets of eight graphs are drawn again and again: their intervals must hold the truth about 95 times of 100.
TEST(IntervalTest, OfFewGraphsHoldsTheTruthAsOftenAsItSays) {
  Rng rng(3);
  int held = 0;
  for (int i = 0; i < 200; ++i) {
    std::vector<GraphShare> shares(8);
    for (GraphShare& share : shares) share.part = rng.normal();
    const GraphFigure figure = over_graphs(shares);
    held += figure.low <= 0 && 0 <= figure.high ? 1 : 0;
  }
  EXPECT_GE(held, 182);
}

TEST(IntervalTest, RatiosWeighGraphsByTheirWholes) {
  const GraphShare shares[] = {{1, 10}, {3, 10}, {0, 20}};
  EXPECT_DOUBLE_EQ(over_graphs(shares).value, 0.1);
  EXPECT_DOUBLE_EQ(ratio_of_sums(std::vector<GraphShare>{{1, 0}}), 0);
}

TEST(IntervalTest, TheLeastIsNeverBelowItsOwnInterval) {
  const GraphShare shares[] = {{-3}, {1}, {4}};
  const GraphFigure figure = over_graphs(shares, least_part);
  EXPECT_EQ(figure.value, -3);
  EXPECT_LE(figure.low, -3);
  EXPECT_GT(figure.high, -3);
}

TEST(IntervalTest, OneGraphHasNoWidth) {
  const GraphShare share{2};
  const GraphFigure figure = over_graphs({&share, 1});
  EXPECT_EQ(figure.low, 2);
  EXPECT_EQ(figure.high, 2);
}

}  // namespace
}  // namespace hone
