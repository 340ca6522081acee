#include "bench/native_ways.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(RankCorrelationTest, IsOneForTheSameOrderAndMinusOneForTheReverse) {
  const double up[] = {1, 2, 5, 9}, also_up[] = {10, 11, 12, 400}, down[] = {4, 3, 2, 1};
  EXPECT_DOUBLE_EQ(rank_correlation(up, also_up), 1);
  EXPECT_DOUBLE_EQ(rank_correlation(up, down), -1);
}

TEST(RankCorrelationTest, EqualNumbersShareARank) {
  const double a[] = {1, 2, 2, 3}, b[] = {1, 2, 3, 4}, flat[] = {7, 7, 7, 7};
  EXPECT_NEAR(rank_correlation(a, b), 0.9486832980505138, 1e-12);  // as scipy.stats.spearmanr has it
  EXPECT_DOUBLE_EQ(rank_correlation(a, flat), 0);
}

}  // namespace
}  // namespace hone
