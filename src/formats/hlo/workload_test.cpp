#include "formats/hlo/workload.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "formats/hlo/print.h"
#include "formats/hlo/read.h"
#include "formats/hlo/sample_test.h"

namespace hone::hlo {
namespace {

Workload lower(std::string_view entry, std::string_view header = "") {
  return to_workload(read_text(fmt::format("HloModule m{}\nENTRY main {{\n{}\n}}\n", header, entry)));
}

OperationId operation_named(const Workload& workload, std::string_view name) {
  for (std::size_t i = 0; i < workload.operation_count(); ++i)
    if (workload.operation(OperationId(i)).name == name) return OperationId(i);
  return {};
}

/// The name of the buffer whose memory the only output of an operation lies in.
std::string memory_of(const Workload& workload, std::string_view operation) {
  BufferId id = workload.outputs(operation_named(workload, operation))[0];
  while (workload.buffer(id).alias_of.valid()) id = workload.buffer(id).alias_of;
  return workload.buffer(id).name;
}

TEST(HloWorkloadTest, TuplesAreNamesAndNotOperation) {
  const Workload workload = to_workload(read_text(kSampleText));
  EXPECT_FALSE(operation_named(workload, "start").valid());
  EXPECT_FALSE(operation_named(workload, "result").valid());
  const auto inputs = workload.inputs(operation_named(workload, "updated"));
  ASSERT_EQ(inputs.size(), 3u);
  EXPECT_TRUE(std::ranges::any_of(inputs, [&](BufferId id) { return workload.buffer(id).name == "loop"; }));
  EXPECT_EQ(workload.outputs(operation_named(workload, "loop")).size(), 3u);  // two arrays and a control edge
}

TEST(HloWorkloadTest, ParametersAreInputsAndConstantsWeights) {
  const Workload workload = lower("a = f32[4] parameter(0)\nb = f32[4] constant({1,2,3,4})\nc = f32[4] add(a, b)");
  ASSERT_EQ(workload.operation_count(), 1u);
  EXPECT_EQ(workload.buffer(BufferId(0)).kind, Buffer::Kind::input);
  EXPECT_EQ(workload.buffer(BufferId(1)).kind, Buffer::Kind::weight);
  EXPECT_EQ(workload.buffer(BufferId(2)).kind, Buffer::Kind::activation);
  EXPECT_TRUE(workload.buffer(BufferId(2)).is_output);
  EXPECT_EQ(workload.buffer(BufferId(2)).bytes, 16);
}

TEST(HloWorkloadTest, OnlyAScheduledModuleGivesAnOrder) {
  const Workload scheduled = to_workload(read_text(kSampleText));
  ASSERT_EQ(scheduled.given_order.size(), scheduled.operation_count());
  EXPECT_TRUE(std::ranges::is_sorted(scheduled.given_order));
  EXPECT_TRUE(lower("a = f32[4] parameter(0)\nb = f32[4] negate(a)").given_order.empty());
}

TEST(HloWorkloadTest, DonatedParameterIsLoopStateUpdateAndOutputInOnePlace) {
  const Workload workload = to_workload(read_text(kSampleText));
  EXPECT_EQ(memory_of(workload, "updated"), "p");
  EXPECT_EQ(memory_of(workload, "reduce-done"), "reduce-start");
}

TEST(HloWorkloadTest, AnUpdateOfWhatIsStillNeededTakesMemoryOfItsOwn) {
  const std::string_view kept =
      "a = f32[4] parameter(0)\nu = f32[1] parameter(1)\ni = s32[] parameter(2)\nb = f32[4] negate(a)\n"
      "c = f32[4] dynamic-update-slice(b, u, i)\nd = f32[4] add(b, c)";
  EXPECT_EQ(memory_of(lower(kept), "c"), "c");
  const std::string_view given =
      "a = f32[4] parameter(0)\nu = f32[1] parameter(1)\ni = s32[] parameter(2)\nb = f32[4] dynamic-update-slice(a, u, "
      "i)";
  EXPECT_EQ(memory_of(lower(given), "b"), "b");
  EXPECT_EQ(memory_of(lower(given, ", input_output_alias={ {}: (0, {}, may-alias) }"), "b"), "a");
}

TEST(HloWorkloadTest, AnOverwriteWaitsForTheReadersOfWhatItOverwrites) {
  const Workload workload = lower(
      "a = f32[4] parameter(0)\nu = f32[1] parameter(1)\ni = s32[] parameter(2)\nb = f32[4] negate(a)\nr = f32[4] "
      "exponential(b)\n"
      "c = f32[4] dynamic-update-slice(b, u, i)\nd = (f32[4], f32[4]) tuple(r, c)");
  EXPECT_EQ(memory_of(workload, "c"), "b");
  const auto inputs = workload.inputs(operation_named(workload, "c"));
  EXPECT_TRUE(std::ranges::any_of(
      inputs, [&](BufferId id) { return workload.buffer(id).producer == operation_named(workload, "r"); }));
}

TEST(HloWorkloadTest, ControlPredecessorsAreDependencies) {
  const Workload workload = to_workload(read_text(kSampleText));
  const auto inputs = workload.inputs(operation_named(workload, "fresh"));
  EXPECT_TRUE(std::ranges::any_of(
      inputs, [&](BufferId id) { return workload.buffer(id).producer == operation_named(workload, "loop"); }));
}

TEST(HloWorkloadTest, RefusesAnAliasOfAParameterThatDoesNotExist) {
  EXPECT_THROW(lower("a = f32[4] parameter(0)", ", input_output_alias={ {}: (3, {}, may-alias) }"), InputError);
  EXPECT_THROW(lower("a = f32[4] parameter(0)", ", input_output_alias={ {2}: (0, {}, may-alias) }"), InputError);
}

TEST(HloWorkloadTest, PrintsTheEntryInAnotherOrder) {
  const Module module = read_text(
      "HloModule m\nENTRY e {\na = f32[2] parameter(0)\nb = f32[2] negate(a)\nc = f32[2] sine(a)\nROOT d = (f32[2], "
      "f32[2]) tuple(b, c)\n}");
  const std::vector<OperationId> swapped = {OperationId(1), OperationId(0)};
  const Module moved = read_text(print_with_order(module, entry_order(module, swapped)));
  EXPECT_TRUE(moved.is_scheduled());
  EXPECT_EQ(moved.instructions[1].name, "c");
  EXPECT_EQ(moved.instruction(moved.entry_computation().root).name, "d");
  EXPECT_EQ(to_workload(moved).given_order.size(), 2u);
}

TEST(HloWorkloadTest, RefusesAnOrderThatIsNone) {
  const Module module =
      read_text("HloModule m\nENTRY e {\na = f32[2] parameter(0)\nb = f32[2] negate(a)\nc = f32[2] sine(b)\n}");
  const std::vector<OperationId> backwards = {OperationId(1), OperationId(0)}, twice = {OperationId(0), OperationId(0)},
                                 few = {OperationId(0)};
  EXPECT_THROW(print_with_order(module, entry_order(module, backwards)), InputError);
  EXPECT_THROW(print_with_order(module, entry_order(module, twice)), InputError);
  EXPECT_THROW(entry_order(module, few), InputError);
}

}  // namespace
}  // namespace hone::hlo
