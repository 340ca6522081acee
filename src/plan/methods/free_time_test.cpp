#include "plan/methods/free_time.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"

namespace hone {
namespace {

TEST(FreeTime, FindsTheFirstGapThatIsLongEnough) {
  FreeTime time;
  time.occupy(2, 3);   // free: [0, 2) and from 5 on
  time.occupy(10, 1);  // free: [0, 2), [5, 10) and from 11 on
  EXPECT_EQ(time.earliest(0, 2), 0);
  EXPECT_EQ(time.earliest(1, 2), 5);
  EXPECT_EQ(time.earliest(0, 6), 11);
  EXPECT_EQ(time.opening(7, 1).idle, 2);
  EXPECT_EQ(time.opening(13, 1).idle, 2);
  time.occupy(6, 4);
  EXPECT_EQ(time.earliest(3, 2), 11);
  EXPECT_EQ(time.earliest(3, 1), 5);
  EXPECT_EQ(time.end(), 11);
}

/// Against a list of busy seconds.
TEST(FreeTime, AgreesWithASlowSearchOnRandomUse) {
  Rng rng(1);
  for (int round = 0; round < 200; ++round) {
    FreeTime time;
    std::vector<char> busy(4000);
    for (int i = 0; i < 60; ++i) {
      const std::size_t ready = rng.below(100), seconds = 1 + rng.below(8);
      std::size_t start = ready;
      for (std::size_t at = start; at < start + seconds; ++at)
        if (busy[at] != 0) start = at + 1;
      ASSERT_EQ(time.earliest(static_cast<double>(ready), static_cast<double>(seconds)), static_cast<double>(start));
      time.occupy(static_cast<double>(start), static_cast<double>(seconds));
      for (std::size_t at = start; at < start + seconds; ++at) busy[at] = 1;
    }
  }
}

TEST(FreeTime, GapsThatAreTooShortMakeNoDifference) {
  Rng rng(2);
  for (int round = 0; round < 100; ++round) {
    FreeTime all, some(3);
    for (int i = 0; i < 60; ++i) {
      const auto ready = static_cast<double>(rng.below(200)), seconds = static_cast<double>(3 + rng.below(8));
      const double start = all.earliest(ready, seconds);
      ASSERT_EQ(some.earliest(ready, seconds), start);
      all.occupy(start, seconds);
      some.occupy(start, seconds);
    }
    EXPECT_EQ(some.end(), all.end());
  }
}

}  // namespace
}  // namespace hone
