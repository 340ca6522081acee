#include "base/progress_line.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(ProgressLineTest, HasAShareTheTimeLeftAndTheBestSoFar) {
  EXPECT_EQ(progress_text({.doing = "trying c", .best = "1.2 times as fast", .seconds = 30, .share = 0.25}),
            "25 %, 30 s, about 1 min 30 s left; best 1.2 times as fast; trying c");
}

TEST(ProgressLineTest, WithoutAnEndInSightThereIsNoTimeLeft) {
  EXPECT_EQ(progress_text({.doing = "7 evaluations", .seconds = 3}), "3 s; 7 evaluations");
}

TEST(ProgressLineTest, GuessesNoTimeFromNextToNothing) {
  EXPECT_EQ(progress_text({.doing = "reading", .seconds = 3, .share = 0.001}), "0 %, 3 s; reading");
}

TEST(ProgressLineTest, AtTheEndNoTimeIsLeft) {
  EXPECT_EQ(progress_text({.doing = "step 9", .seconds = 3, .share = 1}), "100 %, 3 s; step 9");
}

TEST(ProgressLineTest, DurationsAreReadable) {
  EXPECT_EQ(duration_text(-1), "0 s");
  EXPECT_EQ(duration_text(59.4), "59 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(7500), "2 h 5 min");
}

}  // namespace
}  // namespace hone
