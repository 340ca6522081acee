#include "run/measure/conditions.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/child_process.h"

namespace hone {
namespace {

void write(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

TEST(ConditionsTest, TellsOtherLoadStolenTimeAndThrottling) {
  const TemporaryFolder root;
  const auto processor = root.path() / "sys/devices/system/cpu/cpu0";
  write(root.path() / "proc/stat", "cpu 100 0 0 900 0 0 0 0\ncpu0 100 0 0 900 0 0 0 0\nintr 5\n");
  write(processor / "cpufreq/scaling_cur_freq", "3000000");
  write(processor / "thermal_throttle/core_throttle_count", "4");
  const ConditionsWatch watch(root.path());
  write(root.path() / "proc/stat", "cpu 50100 0 0 40900 0 0 0 10000\ncpu0 50100 0 0 40900 0 0 0 10000\nintr 5\n");
  write(root.path() / "proc/loadavg", "2.50 1.00 0.50 3/100 999");
  write(processor / "cpufreq/scaling_cur_freq", "2400000");
  write(processor / "cpufreq/scaling_governor", "powersave\n");
  write(processor / "thermal_throttle/core_throttle_count", "6");
  const Conditions found = watch.stop();
  EXPECT_NEAR(found.other_load, 0.5, 0.02);
  EXPECT_NEAR(found.stolen, 0.1, 1e-9);
  EXPECT_NEAR(found.waiting, 2.5, 1e-9);
  EXPECT_NEAR(found.clock_change, -0.2, 1e-9);
  EXPECT_EQ(found.throttled, 2);
  EXPECT_EQ(found.warnings().size(), 5u);
}

TEST(ConditionsTest, AQuietMachineGivesNoWarning) {
  EXPECT_TRUE(Conditions{}.warnings().empty());
  EXPECT_TRUE(Conditions{.governor = "performance"}.warnings().empty());
}

TEST(ConditionsTest, SystemsThatSayNothingAreNoError) {
  const TemporaryFolder empty;
  EXPECT_EQ(ConditionsWatch(empty.path()).stop().other_load, 0);
}

}  // namespace
}  // namespace hone
