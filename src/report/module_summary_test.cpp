#include "report/module_summary.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "formats/hlo/read.h"
#include "formats/hlo/sample_test.h"

namespace hone {
namespace {

TEST(ModuleSummaryTest, CountsInstructionsByOpcode) {
  const ModuleSummary summary = summarize(hlo::read_text(hlo::kSampleText));
  EXPECT_EQ(summary.module, "sample");
  EXPECT_TRUE(summary.scheduled);
  EXPECT_EQ(summary.computations, 7u);
  EXPECT_EQ(summary.parameters, 2u);
  EXPECT_EQ(summary.parameter_bytes, 8 * 4 * 4 + 4);
  EXPECT_EQ(summary.result_bytes, 8 * 4 * 4 + 4 * 4);
  const auto opcode = [&](std::string_view name) {
    return *std::ranges::find(summary.opcodes, name, &ModuleSummary::Opcode::name);
  };
  EXPECT_EQ(opcode("add").count, 3u);
  EXPECT_EQ(opcode("add").in_entry, 0u);
  EXPECT_EQ(opcode("while").in_entry, 1u);
  EXPECT_GT(opcode("while").flops, 0);
  EXPECT_EQ(opcode("add").flops, 0);  // which is in the loop's
}

TEST(ModuleSummaryTest, OpcodesAddUpToTheWhole) {
  const ModuleSummary summary = summarize(hlo::read_text(hlo::kSampleText));
  double flops = 0;
  std::size_t count = 0;
  for (const ModuleSummary::Opcode& each : summary.opcodes) {
    flops += each.flops;
    count += each.count;
  }
  EXPECT_EQ(flops, summary.flops);
  EXPECT_EQ(count, summary.instructions);
}

}  // namespace
}  // namespace hone
