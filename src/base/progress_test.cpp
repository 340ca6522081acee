#include "base/progress.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace hone
