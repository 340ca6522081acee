#include "base/progress.h"

#include <gtest/gtest.h>

#include "base/verbosity.h"

namespace hone {
namespace {

TEST(ProgressTest, IsNothingForWhatIsNotATerminal) {
  testing::internal::CaptureStderr();
  show_progress("halfway");
  keep_progress();
  show_progress("nearly");
  erase_progress();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(ProgressTest, StaysAsLinesWhereTheUserWantsAllOfIt) {
  set_verbosity(Verbosity::verbose);
  testing::internal::CaptureStderr();
  show_progress("halfway");
  show_progress("nearly");
  erase_progress();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "halfway\nnearly\n");
  set_verbosity(Verbosity::usual);
}

TEST(ProgressTest, NotesAreNothingWhereTheUserWantsItQuiet) {
  testing::internal::CaptureStderr();
  note("{} is assumed", 7);
  set_verbosity(Verbosity::quiet);
  note("{} is assumed", 8);
  set_verbosity(Verbosity::usual);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "7 is assumed\n");
}

}  // namespace
}  // namespace hone
