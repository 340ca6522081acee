#include "plan/machine/hardware_description.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/child_process.h"
#include "plan/machine/machine_file.h"

namespace hone {
namespace {

/// A folder that looks like the root of a computer, as far as its hardware goes.
class HardwareDescriptionTest : public ::testing::Test {
 protected:
  HardwareDescriptionTest() {
    write("proc/cpuinfo", processor(0, "fpu sse2 avx2 ibrs fma") + processor(1, "fpu sse2 avx2 ibrs fma"));
    write("proc/meminfo", "MemTotal:       32870140 kB\nMemFree: 1 kB\n");
  }

  static std::string processor(int socket, const std::string& flags) {
    return "processor\t: 0\nmodel name\t: Fast One\nphysical id\t: " + std::to_string(socket) +
           "\ncpu cores\t: 4\nflags\t\t: " + flags + "\n\n";
  }
  void write(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  TemporaryFolder folder_;
  std::filesystem::path root_ = folder_.path();
};

TEST_F(HardwareDescriptionTest, NamesWhatDecidesSpeed) {
  const nlohmann::ordered_json found = describe_hardware(root_);
  EXPECT_EQ(found["processor"], "Fast One");
  EXPECT_EQ(found["instruction_sets"], "avx2 fma sse2");
  EXPECT_EQ(found["sockets"], 2);
  EXPECT_EQ(found["cores"], 8);
  EXPECT_EQ(found["threads"], 2);
  EXPECT_EQ(found["memory_gib"], 31);
  EXPECT_EQ(found["accelerators"].size(), 0U);
}

TEST_F(HardwareDescriptionTest, IsTheSameWithAnotherKernelAndMoreFreeMemory) {
  const nlohmann::ordered_json before = describe_hardware(root_);
  write("proc/cpuinfo", processor(0, "fma avx2 sse2 md_clear") + processor(1, "fma avx2 sse2 md_clear"));
  write("proc/meminfo", "MemTotal:       32870112 kB\nMemFree: 999999 kB\n");
  EXPECT_EQ(describe_hardware(root_), before);
}

TEST_F(HardwareDescriptionTest, SeesAccelerators) {
  write("sys/bus/pci/devices/0000:01:00.0/class", "0x030200\n");
  write("sys/bus/pci/devices/0000:01:00.0/vendor", "0x1002\n");
  write("sys/bus/pci/devices/0000:01:00.0/device", "0x74a1\n");
  write("sys/bus/pci/devices/0000:02:00.0/class", "0x020000\n");
  EXPECT_EQ(describe_hardware(root_)["accelerators"], nlohmann::ordered_json({"pci 0x1002 0x74a1"}));
  write("proc/driver/nvidia/gpus/0000:03:00.0/information", "Model: \t\t NVIDIA H200\nIRQ: 1\n");
  EXPECT_EQ(describe_hardware(root_)["accelerators"], nlohmann::ordered_json({"NVIDIA H200", "pci 0x1002 0x74a1"}));
}

TEST_F(HardwareDescriptionTest, AnEmptyRootHasADescriptionToo) {
  EXPECT_EQ(describe_hardware(root_ / "nothing")["processor"], "");
}

TEST(MachineDescriptionTest, AnyFigureThatDecidesSpeedCounts) {
  const Machine machine = load_machine("p100-4");
  Machine slower = machine, smaller = machine, narrower = machine, apart = machine;
  slower.links.front().bytes_per_second /= 2;
  smaller.kinds.front().memory_bytes -= 1;
  narrower.kinds.front().live_values -= 1;
  apart.devices.pop_back();
  EXPECT_EQ(describe_hardware(machine), describe_hardware(load_machine("p100-4")));
  for (const Machine& other : {slower, smaller, narrower, apart})
    EXPECT_NE(describe_hardware(machine)["digest"], describe_hardware(other)["digest"]);
}

}  // namespace
}  // namespace hone
