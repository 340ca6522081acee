#include "plan/machine/processor.h"

#include <gtest/gtest.h>

#include "plan/machine/machine_file.h"

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

TEST(ProcessorTest, GroupsKeepTheirRowsInTheSecondCache) {
  EXPECT_EQ(estimate_device({.cache_bytes = {32768, 524288, 1 << 24}}).scratch_bytes, 524288);
  EXPECT_EQ(estimate_device({.cache_bytes = {32768}}).scratch_bytes, 1 << 20) << "the usual size where none is known";
}

TEST(ProcessorTest, CalibrationMeasuresPlausibleRates) {
  const Machine machine = parse_machine(describe_calibrated(0.02), "calibrated");
  const DeviceKind& kind = machine.kinds[0];
  EXPECT_GT(kind.peak_flops(ElementType::float32), 1e8);
  EXPECT_GT(kind.peak_flops(ElementType::float64), 1e8);
  EXPECT_GT(kind.bytes_per_second, 1e7);
  EXPECT_GT(kind.launch_seconds, 0);
  EXPECT_LT(kind.launch_seconds, 1);
}

/// Each rate is measured for a few milliseconds, in which something else may take the core away.
TEST(ProcessorTest, CalibrationFindsFloatsFasterThanDoubles) {
  bool is_faster = false;
  for (int attempt = 0; attempt < 10 && !is_faster; ++attempt) {
    const DeviceKind kind = parse_machine(describe_calibrated(0.02), "calibrated").kinds[0];
    is_faster = kind.peak_flops(ElementType::float32) > kind.peak_flops(ElementType::float64);
  }
  EXPECT_TRUE(is_faster);
}

TEST(ProcessorTest, CalibrationFitsCurvesAndMarksThem) {
  const DeviceKind kind = calibrate_device({.memory_bytes = 1 << 30}, 0.02);
  for (const OperationClass measured :
       {OperationClass::pointwise, OperationClass::reduction, OperationClass::movement}) {
    EXPECT_TRUE(kind.is_measured[static_cast<std::size_t>(measured)]);
    EXPECT_GE(kind.bytes_efficiency[static_cast<std::size_t>(measured)].points().size(), 3U);
  }
  const auto matmul = static_cast<std::size_t>(OperationClass::matmul);
  EXPECT_TRUE(kind.is_measured[matmul]);
  EXPECT_GE(kind.flops_efficiency[matmul].points().size(), 3U);
  EXPECT_FALSE(kind.is_measured[static_cast<std::size_t>(OperationClass::convolution)]);
  const std::string text = toml_of_device(kind, "test", "measured");
  EXPECT_NE(text.find("[device.efficiency.matmul]\nmeasured = true\nflops = [["), std::string::npos) << text;
  EXPECT_TRUE(parse_machine(text, "test").kinds[0].is_measured[matmul]);
}

}  // namespace
}  // namespace hone
