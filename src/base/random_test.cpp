#include "base/random.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

namespace hone {
namespace {

TEST(RandomTest, IsTheSameOnEveryMachine) {
  Rng rng(1);
  EXPECT_EQ(rng.next(), 502239810061671946u);
}

TEST(RandomTest, SplitStreamsDiffer) {
  const Rng rng(1);
  Rng a = rng.split(0), b = rng.split(1), again = rng.split(0);
  EXPECT_NE(a.next(), b.next());
  Rng first = rng.split(0);
  EXPECT_EQ(again.next(), first.next());
}

TEST(RandomTest, BoundsAreIncludedAndNeverPassed) {
  Rng rng(3);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(rng.between(-2, 2));
  EXPECT_EQ(seen, (std::set<std::int64_t>{-2, -1, 0, 1, 2}));
  for (int i = 0; i < 1000; ++i) ASSERT_LT(rng.below(7), 7u);
}

TEST(RandomTest, TheWholeRangeOfIntegersWorks) {
  Rng rng(4);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 100; ++i) seen.insert(rng.between(INT64_MIN, INT64_MAX));
  EXPECT_EQ(seen.size(), 100u);
}

TEST(RandomTest, UniformAndNormalHaveTheirMoments) {
  Rng rng(5);
  double uniform = 0, normal = 0, square = 0;
  constexpr int kCount = 100000;
  for (int i = 0; i < kCount; ++i) {
    const double u = rng.uniform(), n = rng.normal();
    ASSERT_TRUE(u >= 0 && u < 1);
    uniform += u;
    normal += n;
    square += n * n;
  }
  EXPECT_NEAR(uniform / kCount, 0.5, 0.01);
  EXPECT_NEAR(normal / kCount, 0.0, 0.02);
  EXPECT_NEAR(square / kCount, 1.0, 0.02);
}

}  // namespace
}  // namespace hone
