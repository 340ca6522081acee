#include "formats/hlo/instruction_loop.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "formats/hlo/read.h"
#include "formats/hlo/workload.h"

namespace hone::hlo {
namespace {

using enum Access;
using LoopKind = Loop::Kind;

/// The last instruction of an entry computation over a few arrays.
Loop loop_of_text(std::string_view result) {
  const Module module = read_text(fmt::format(
      "HloModule m\nsum {{\n  l = f32[] parameter(0)\n  r = f32[] parameter(1)\n  ROOT s = f32[] add(l, r)\n}}\n"
      "ENTRY main {{\n  x = f32[2,3] parameter(0)\n  v = f32[2] parameter(1)\n  c = f32[] parameter(2)\n"
      "  w = f32[3] parameter(3)\n  t = f32[2,3]{{0,1}} parameter(4)\n  i = s32[] parameter(5)\n"
      "  o = f32[1,2,3] parameter(6)\n  ROOT y = {}\n}}\n",
      result));
  return loop_of(module, module.instruction(module.entry_computation().root));
}

void expect_loop(std::string_view result, LoopKind kind, const std::vector<Access>& reads) {
  const Loop loop = loop_of_text(result);
  EXPECT_EQ(loop.kind, kind) << result;
  EXPECT_EQ(loop.reads, reads) << result;
}

TEST(InstructionLoopTest, ElementwiseWorkReadsPointByPoint) {
  expect_loop("f32[2,3] add(x, x)", LoopKind::map, {same, same});
  expect_loop("f32[2,3] clamp(c, x, c)", LoopKind::map, {other, same, other});
  expect_loop("f16[2,3] convert(x)", LoopKind::map, {same});
  expect_loop("f32[] negate(c)", LoopKind::map, {same});
  expect_loop("f32[2,3] map(x, x), dimensions={0,1}, to_apply=sum", LoopKind::map, {same, same});
}

TEST(InstructionLoopTest, BroadcastsAreRowsWhereTheyRepeatNeighbours) {
  expect_loop("f32[2,3] broadcast(v), dimensions={0}", LoopKind::map, {row});
  expect_loop("f32[1,2,1,3] broadcast(v), dimensions={1}", LoopKind::map, {row});
  expect_loop("f32[2,3] broadcast(w), dimensions={1}", LoopKind::map, {other});
  expect_loop("f32[2,3] broadcast(c), dimensions={}", LoopKind::map, {other});
  expect_loop("f32[1,2] broadcast(v), dimensions={1}", LoopKind::map, {same});
  expect_loop("f32[2,3,4] broadcast(x), dimensions={0,1}", LoopKind::map, {row});
  expect_loop("f32[3,2] broadcast(x), dimensions={1,0}", LoopKind::map, {other});
}

TEST(InstructionLoopTest, WhatOnlyRenamesKeepsTheOrderUnlessLayoutsDiffer) {
  expect_loop("f32[6] reshape(x)", LoopKind::map, {same});
  expect_loop("f32[6]{0} bitcast(x)", LoopKind::map, {same});
  expect_loop("f32[3,2]{1,0} bitcast(x)", LoopKind::map, {same});
  expect_loop("f32[3,2]{0,1} bitcast(x)", LoopKind::map, {other});
  expect_loop("f32[3,1,2]{1,2,0} bitcast(x)", LoopKind::map, {same});
  expect_loop("f32[2,3]{1,0:T(8,128)} bitcast(x)", LoopKind::map, {other});
  expect_loop("s32[6] bitcast(x)", LoopKind::none, {});
  expect_loop("f32[2,3] copy(x)", LoopKind::map, {same});
  expect_loop("f32[2,3]{0,1} copy(t)", LoopKind::map, {same});
  expect_loop("f32[2,3]{1,0} copy(t)", LoopKind::map, {other});
  expect_loop("s32[2,3] bitcast-convert(x)", LoopKind::map, {same});
  expect_loop("u8[2,3,4] bitcast-convert(x)", LoopKind::map, {other});
}

TEST(InstructionLoopTest, MovementFindsEveryResultByItself) {
  expect_loop("f32[3,2] transpose(x), dimensions={1,0}", LoopKind::map, {other});
  expect_loop("f32[2,1,3] transpose(o), dimensions={1,0,2}", LoopKind::map, {same});
  expect_loop("f32[1,3] slice(x), slice={[1:2], [0:3]}", LoopKind::map, {other});
  expect_loop("f32[1,3] dynamic-slice(x, i, i), dynamic_slice_sizes={1,3}", LoopKind::map, {other, other, other});
  expect_loop("f32[4,3] concatenate(x, x), dimensions={0}", LoopKind::map, {other, other});
  expect_loop("f32[4,3] pad(x, c), padding=1_1x0_0", LoopKind::map, {other, other});
  expect_loop("f32[2,3] reverse(x), dimensions={1}", LoopKind::map, {other});
  expect_loop("s32[5] iota(), iota_dimension=0", LoopKind::map, {});
  expect_loop("f32[2,2] reduce-window(x, c), window={size=1x2}, to_apply=sum", LoopKind::map, {other, other});
}

TEST(InstructionLoopTest, ReductionsAreRowsOrColumns) {
  const Loop rows = loop_of_text("f32[2] reduce(x, c), dimensions={1}, to_apply=sum");
  EXPECT_EQ(rows.kind, LoopKind::rows);
  EXPECT_EQ(rows.points, 6);
  EXPECT_EQ(rows.rows, 2);
  EXPECT_EQ(rows.results, 2);
  EXPECT_EQ(rows.reads, (std::vector<Access>{same, other}));
  expect_loop("f32[3] reduce(x, c), dimensions={0}, to_apply=sum", LoopKind::columns, {same, other});
  expect_loop("f32[] reduce(x, c), dimensions={0,1}, to_apply=sum", LoopKind::rows, {same, other});
  expect_loop("f32[2,3] reduce(o, c), dimensions={0}, to_apply=sum", LoopKind::map, {same, other});
}

TEST(InstructionLoopTest, DotsAndConvolutionsAreContractions) {
  expect_loop("f32[2,2] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={1}", LoopKind::contraction,
              {other, other});
  expect_loop("f32[1,2,2] convolution(o, o), window={size=1}, dim_labels=b0f_0oi->b0f", LoopKind::contraction,
              {other, other});
}

TEST(InstructionLoopTest, WhatIsNotComputedPointByPointHasNoLoop) {
  for (const std::string_view result :
       {"f32[2,3] sort(x), dimensions={1}, to_apply=sum", "f32[2,3] rng(c, c), distribution=rng_uniform",
        "f32[2,3] custom-call(x), custom_call_target=\"mine\"", "f32[2,3] dynamic-update-slice(x, x, i, i)",
        "(f32[2], f32[2]) reduce(x, x, c, c), dimensions={1}, to_apply=sum", "u32[] partition-id()",
        "f32[2,3] all-reduce(x), to_apply=sum", "f32[<=2,3] negate(x)", "f32[0] slice(v), slice={[0:0]}"})
    EXPECT_EQ(loop_of_text(result).kind, LoopKind::none) << result;
}

TEST(InstructionLoopTest, ReadsGoWithTheBuffersOfTheOperation) {
  const Workload workload = to_workload(
      read_text("HloModule m\nENTRY main {\n  c = f32[] parameter(0)\n  x = f32[3] parameter(1)\n"
                "  y = f32[3] negate(x)\n  z = f32[3] clamp(c, y, c)\n  ROOT s = f32[3] select-like(z)\n}\n"));
  const OperationId clamp(1);
  ASSERT_EQ(workload.inputs(clamp).size(), 2u);
  const Loop& loop = workload.operation(clamp).loop;
  ASSERT_EQ(loop.reads.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(loop.reads[i], workload.buffer(workload.inputs(clamp)[i]).name == "y" ? same : other);
  EXPECT_EQ(workload.operation(OperationId(2)).loop.kind, LoopKind::none) << "an opcode that is not known";
}

TEST(InstructionLoopTest, WhatIsOrderedBesideItsDataHasNoLoop) {
  const Workload workload =
      to_workload(read_text("HloModule m\nENTRY main {\n  x = f32[3] parameter(0)\n  a = f32[3] negate(x)\n"
                            "  b = f32[3] sine(x), control-predecessors={a}\n  ROOT s = f32[3] add(a, b)\n}\n"));
  EXPECT_EQ(workload.operation(OperationId(0)).loop.kind, LoopKind::none);
  EXPECT_EQ(workload.operation(OperationId(1)).loop.kind, LoopKind::none);
  EXPECT_EQ(workload.operation(OperationId(2)).loop.kind, LoopKind::map);
}

}  // namespace
}  // namespace hone::hlo
