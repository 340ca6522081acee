#include "base/child_process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "base/interrupt.h"

namespace hone {
namespace {

TEST(ChildProcessTest, GivesTheTextOfTheChild) {
  const std::string large(100'000, 'x');
  const ChildResult result = run_in_child([&] { return large; });
  EXPECT_TRUE(result.succeeded());
  EXPECT_EQ(result.text, large);
}

TEST(ChildProcessTest, ACrashIsAResult) {
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

/// Presses Ctrl-C in a while.
std::jthread user_of_child() {
  return std::jthread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::raise(SIGINT);
  });
}

std::string wait_for_interrupt() {
  for (int i = 0; i < 1000 && !interrupted(); ++i) ::usleep(10'000);
  return interrupted() ? "told" : "not told";
}

TEST(ChildProcessTest, CtrlCReachesAChildOnce) {
  const InterruptGuard guard;
  const std::jthread user = user_of_child();
  EXPECT_EQ(text_of_child(wait_for_interrupt), "told");
  EXPECT_EQ(text_of_child(wait_for_interrupt), "told");  // one that is begun afterwards knows it
}

TEST(ChildProcessTest, AChildThatDoesNotHeedCtrlCIsKilledWhereThatIsWanted) {
  const InterruptGuard guard;
  const std::jthread user = user_of_child();
  const ChildResult result = run_in_child(
      []() -> std::string {
        while (true) ::pause();
      },
      100, OnInterrupt::tell_then_kill);
  EXPECT_EQ(result.signal, SIGKILL);
}

}  // namespace
}  // namespace hone
