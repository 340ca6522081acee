#include "base/machine_memory.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/child_process.h"

namespace hone {
namespace {

class MachineMemoryTest : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((folder_.path() / path).parent_path());
    std::ofstream(folder_.path() / path) << text;
  }
  double usable() const { return usable_memory_bytes(folder_.path()); }

 private:
  TemporaryFolder folder_;
};

TEST_F(MachineMemoryTest, IsWhatIsInstalledWhereNothingLimitsIt) {
  write("proc/meminfo", "MemFree:  7 kB\nMemTotal:       2048 kB\n");
  write("sys/fs/cgroup/memory.max", "max\n");
  EXPECT_EQ(usable(), 2048.0 * 1024);
}

TEST_F(MachineMemoryTest, GroupsAroundTheProcessLimitIt) {
  write("proc/meminfo", "MemTotal:       2048 kB\n");
  write("proc/self/cgroup", "0::/slice/service\n");
  write("sys/fs/cgroup/slice/memory.max", "1000000\n");
  write("sys/fs/cgroup/slice/service/memory.max", "max\n");
  EXPECT_EQ(usable(), 1e6);
}

TEST_F(MachineMemoryTest, KnowsTheFirstVersionOfGroups) {
  write("proc/meminfo", "MemTotal:       2048 kB\n");
  write("proc/self/cgroup", "4:memory:/docker/b\n");
  write("sys/fs/cgroup/memory/docker/b/memory.limit_in_bytes", "500000\n");
  EXPECT_EQ(usable(), 5e5);
}

TEST_F(MachineMemoryTest, ThisMachineHasSome) { EXPECT_GT(usable_memory_bytes(), 1e6); }

}  // namespace
}  // namespace hone
