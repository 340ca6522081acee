#include "base/data_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace hone {
namespace {

TEST(DataFolderTest, IsWhereTheUserKeepsData) {
  const char* before = std::getenv("XDG_DATA_HOME");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("XDG_DATA_HOME", "/elsewhere", 1);
  EXPECT_EQ(data_folder(), "/elsewhere/hone");
  ::setenv("XDG_DATA_HOME", "", 1);
  const char* home = std::getenv("HOME");
  EXPECT_EQ(data_folder(), std::filesystem::path(home == nullptr ? "." : home) / ".local/share/hone");
  before == nullptr ? ::unsetenv("XDG_DATA_HOME") : ::setenv("XDG_DATA_HOME", kept.c_str(), 1);
}

}  // namespace
}  // namespace hone
