#include "base/program.h"

#include <gtest/gtest.h>

#include "base/timer.h"

namespace hone {
namespace {

TEST(ProgramTest, IsFoundWhereAShellFindsIt) {
  ASSERT_TRUE(find_program("sh"));
  EXPECT_TRUE(std::filesystem::exists(*find_program("sh")));
  EXPECT_FALSE(find_program("no-program-is-called-this"));
}

TEST(ProgramTest, TellsItsStatusAndRunsInItsFolder) {
  EXPECT_EQ(run_program({"sh", "-c", "exit 3"}, "/").status, 3);
  EXPECT_EQ(run_program({"sh", "-c", "test $(pwd) = /usr"}, "/usr").status, 0);
  EXPECT_EQ(run_program({"no-program-is-called-this"}, "/").status, 127);
}

TEST(ProgramTest, EndsWithAllItStartedWhenItTakesTooLong) {
  const Timer timer;
  const ProgramEnd end = run_program({"sh", "-c", "sleep 60 & sleep 60"}, "/", 0.1);
  EXPECT_TRUE(end.ran_over);
  EXPECT_NE(end.status, 0);
  EXPECT_LT(timer.seconds(), 30);
}

}  // namespace
}  // namespace hone
