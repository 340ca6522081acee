#include "plan/simulate/interval_bound.h"

#include <gtest/gtest.h>

#include <vector>

namespace hone {
namespace {

TEST(IntervalBound, SeesACrowdThatNeitherPathNorTotalShows) {
  // One second before and after a crowd of three operations of two seconds: 1 + 2 + 2 + 1 on two streams, while the
  // longest path is 4 and the total work 8 / 2.
  const std::vector<BoundedOperation> operations = {{1, 0, 3}, {2, 1, 1}, {2, 1, 1}, {2, 1, 1}, {1, 3, 0}};
  EXPECT_NEAR(interval_bound(operations, 2, 4, Times::any), 6, 1e-6);
  EXPECT_EQ(interval_bound(operations, 2, 4, Times::whole), 6);
}

TEST(IntervalBound, RoundsUpWhereAllTimesAreWhole) {
  const std::vector<BoundedOperation> operations = {{1, 0, 0}};
  EXPECT_EQ(interval_bound(operations, 2, 1.5, Times::any), 1.5);
  EXPECT_EQ(interval_bound(operations, 2, 1.5, Times::whole), 2);
}

TEST(IntervalBound, IsWhatItWasGivenWithoutOperations) { EXPECT_EQ(interval_bound({}, 2, 3, Times::any), 3); }

}  // namespace
}  // namespace hone
