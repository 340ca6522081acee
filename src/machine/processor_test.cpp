#include "machine/processor.h"

#include <gtest/gtest.h>

#include "machine/machine_file.h"

namespace hone {
namespace {

TEST(ProcessorTest, DetectionGivesAMachineThatReads) {
  const Processor processor = detect_processor();
  EXPECT_GE(processor.threads, 1U);
  EXPECT_GT(processor.memory_bytes, 0);
  const Machine machine = parse_machine(describe_detected(), "detected");
  EXPECT_EQ(machine.device_count(), 1U);
  EXPECT_GT(machine.kinds[0].peak_flops(ElementType::float32), 1e8);
}

TEST(ProcessorTest, CalibrationMeasuresPlausibleRates) {
  const Machine machine = parse_machine(describe_calibrated(), "calibrated");
  const DeviceKind& kind = machine.kinds[0];
  EXPECT_GT(kind.peak_flops(ElementType::float32), 1e8);
  EXPECT_GT(kind.peak_flops(ElementType::float32), kind.peak_flops(ElementType::float64));
  EXPECT_GT(kind.bytes_per_second, 1e7);
  EXPECT_GT(kind.launch_seconds, 0);
  EXPECT_LT(kind.launch_seconds, 1);
}

}  // namespace
}  // namespace hone
