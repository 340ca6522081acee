#include "base/child_process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

namespace hone {
namespace {

TEST(ChildProcessTest, GivesTheTextOfTheChild) {
  const std::string large(100'000, 'x');
  const ChildResult result = run_in_child([&] { return large; });
  EXPECT_TRUE(result.succeeded());
  EXPECT_EQ(result.text, large);
}

TEST(ChildProcessTest, ACrashIsARecord) {
  const ChildResult result = run_in_child([]() -> std::string {
    ::raise(SIGKILL);
    return "never";
  });
  EXPECT_FALSE(result.succeeded());
  EXPECT_EQ(result.signal, SIGKILL);
}

TEST(ChildProcessTest, KeepsSentenceAndCodeOfWhatTheChildThrew) {
  const ChildResult result = run_in_child([]() -> std::string { fail_usage("no {}", "such option"); });
  EXPECT_EQ(result.error, "no such option");
  EXPECT_EQ(result.code, ExitCode::usage);
  EXPECT_THROW(text_of_child([]() -> std::string { throw std::runtime_error("bad"); }), InputError);
}

TEST(ChildProcessTest, AChildThatHangsIsKilled) {
  const ChildResult result = run_in_child(
      []() -> std::string {
        ::pause();
        return "never";
      },
      0.05);
  EXPECT_EQ(result.signal, SIGKILL);
}

}  // namespace
}  // namespace hone
