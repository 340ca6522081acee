#include "formats/hlo/cost.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "formats/hlo/read.h"
#include "formats/hlo/sample_test.h"

namespace hone::hlo {
namespace {

/// Cost of the root of an entry computation.
Cost root_cost(std::string_view body, std::string_view others = "") {
  const Module module = read_text(fmt::format("HloModule m\n{}\nENTRY main {{\n{}\n}}\n", others, body));
  return Costs(module).of(module.entry_computation().root);
}

constexpr std::string_view kAdd = "add { x = f32[] parameter(0)\n y = f32[] parameter(1)\n s = f32[] add(x, y) }";

TEST(HloCostTest, DotCountsTwoFlopsAMultiplyAdd) {
  const Cost cost = root_cost(
      "a = bf16[8,16,32] parameter(0)\nb = bf16[8,32,64] parameter(1)\n"
      "c = f32[8,16,64] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
      "rhs_contracting_dims={1}");
  EXPECT_EQ(cost.flops, 2.0 * 8 * 16 * 64 * 32);
  EXPECT_EQ(cost.bytes, 2 * 8 * 16 * 32 + 2 * 8 * 32 * 64 + 4 * 8 * 16 * 64);
  EXPECT_EQ(cost.operation_class, OperationClass::matmul);
}

TEST(HloCostTest, ConvolutionLeavesOutPaddingAndHoles) {
  // Of 3 window positions over 4 outputs, the first and the last fall on padding once each.
  const Cost padded = root_cost(
      "a = f32[1,1,4] parameter(0)\nb = f32[1,1,3] parameter(1)\n"
      "c = f32[1,1,4] convolution(a, b), window={size=3 pad=1_1}, dim_labels=bf0_oi0->bf0");
  EXPECT_EQ(padded.flops, 2.0 * 10);
  const Cost grouped = root_cost(
      "a = f32[2,8,8,16] parameter(0)\nb = f32[1,1,4,32] parameter(1)\n"
      "c = f32[2,8,8,32] convolution(a, b), window={size=1x1}, dim_labels=b01f_01io->b01f, feature_group_count=4");
  EXPECT_EQ(grouped.flops, 2.0 * 2 * 8 * 8 * 32 * 4);
  const Cost dilated = root_cost(
      "a = f32[1,1,3] parameter(0)\nb = f32[1,1,1] parameter(1)\n"
      "c = f32[1,1,5] convolution(a, b), window={size=1 lhs_dilate=2}, dim_labels=bf0_oi0->bf0");
  EXPECT_EQ(dilated.flops, 2.0 * 3);
}

TEST(HloCostTest, ReductionRunsItsComputationForEveryElementButOneOfAResult) {
  const Cost cost = root_cost(
      "a = f32[8,4] parameter(0)\nz = f32[] constant(0)\nr = f32[4] reduce(a, z), dimensions={0}, to_apply=add", kAdd);
  EXPECT_EQ(cost.flops, 7 * 4);
  EXPECT_EQ(cost.operation_class, OperationClass::reduction);
}

TEST(HloCostTest, SlicesAndUpdatesCountOnlyWhatTheyTouch) {
  EXPECT_EQ(root_cost("a = f32[1000,4] parameter(0)\ni = s32[] parameter(1)\n"
                      "s = f32[1,4] dynamic-slice(a, i, i), dynamic_slice_sizes={1,4}")
                .bytes,
            2 * 16 + 4);
  EXPECT_EQ(root_cost("a = f32[1000,4] parameter(0)\nu = f32[1,4] parameter(1)\ni = s32[] parameter(2)\n"
                      "s = f32[1000,4] dynamic-update-slice(a, u, i, i)")
                .bytes,
            2 * 16 + 4);
}

TEST(HloCostTest, FusionCostsItsFlopsAndItsEdges) {
  const Cost cost =
      root_cost("a = f32[1000] parameter(0)\ni = s32[] parameter(1)\nf = f32[10] fusion(a, i), kind=kLoop, calls=fused",
                "fused { p = f32[1000] parameter(0)\n i = s32[] parameter(1)\n"
                " s = f32[10] dynamic-slice(p, i), dynamic_slice_sizes={10}\n e = f32[10] exponential(s)\n r = f32[10] "
                "add(e, e) }");
  EXPECT_EQ(cost.flops, 20);
  EXPECT_EQ(cost.bytes, 40 + 4 + 40);
  EXPECT_EQ(cost.operation_class, OperationClass::pointwise);
}

TEST(HloCostTest, LoopsCountTheirRuns) {
  const Module module = read_text(kSampleText);
  const Costs costs(module);
  const auto instructions = module.instructions_of(module.entry_computation());
  const auto loop = std::ranges::find(instructions, "loop", &Instruction::name);
  EXPECT_EQ(trip_count(module, *loop), 5);  // 0, 2, ... 8
  EXPECT_EQ(costs.of(InstructionId(static_cast<std::size_t>(&*loop - module.instructions.data()))).flops,
            5 * (1 + 32 + 1));  // counter, array, comparison
}

TEST(HloCostTest, TripCountThatXlaKnowsIsTaken) {
  std::string text(kSampleText);
  text.replace(text.find("body=%body"), 10, R"(body=%body, backend_config={"known_trip_count":{"n":"77"}})");
  const Module module = read_text(text);
  const auto instructions = module.instructions_of(module.entry_computation());
  EXPECT_EQ(trip_count(module, *std::ranges::find(instructions, "loop", &Instruction::name)), 77);
}

TEST(HloCostTest, CollectivesCountWhatARingSends) {
  const auto bytes = [](std::string_view line) {
    return root_cost(fmt::format("a = f32[1024] parameter(0)\n{}", line), kAdd).bytes;
  };
  EXPECT_EQ(bytes("b = f32[1024] all-reduce(a), replica_groups={{0,1,2,3}}, to_apply=add"), 2 * 0.75 * 4096);
  EXPECT_EQ(bytes("b = f32[8192] all-gather(a), replica_groups=[2,8]<=[16], dimensions={0}"), 7 * 4096);
  EXPECT_EQ(bytes("b = f32[256] reduce-scatter(a), replica_groups={{0,1,2,3}}, dimensions={0}, to_apply=add"),
            0.75 * 4096);
  EXPECT_EQ(bytes("b = f32[1024] collective-permute(a), source_target_pairs={{0,1}}"), 4096);
}

TEST(HloCostTest, LibraryCallsAreCostedByTheirShapes) {
  const Cost gemm = root_cost(
      "a = f16[16,32] parameter(0)\nb = f16[32,64] parameter(1)\n"
      "c = (f16[16,64], s8[1024]) custom-call(a, b), custom_call_target=\"__cublas$gemm\", "
      "backend_config={\"gemm_backend_config\":{\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"]}}}");
  EXPECT_EQ(gemm.flops, 2.0 * 16 * 64 * 32);
  EXPECT_EQ(gemm.operation_class, OperationClass::matmul);
  EXPECT_EQ(root_cost("a = f32[4] parameter(0)\nb = f32[4] custom-call(a), custom_call_target=\"mine\"").flops, 0);
}

}  // namespace
}  // namespace hone::hlo
