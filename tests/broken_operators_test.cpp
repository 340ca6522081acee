#include <fmt/format.h>
#include <gtest/gtest.h>

#include "broken_models.h"

// Well-formed files whose operators cannot be, or whose evaluation would never end.

namespace hone {
namespace {

/// Loops in loops, each of which changes the shape it carries, so that every one is looked at several times.
std::string nested_loops(int depth) {
  std::string step = fmt::format("r{0} = Concat <axis = 0> (s{0}, s{0})", depth);
  for (int i = depth; i > 0; --i)
    step = fmt::format(
        "r{0} = Loop (n, c, s{0}) <body = b{1} (int64 i{1}, bool go{1}, float[] s{1}) => "
        "(bool stay{1}, float[] r{1}) {{ stay{1} = Identity (go{1}) {2} }}>",
        i - 1, i, step);
  return fmt::format("g (int64 n, bool c, float[2] s0) => (r0) {{ {} }}", step);
}

std::vector<BrokenModel> broken_operators() {
  return {
      {"ReshapeThatCannotFit", from_text("g (float[2,3] x) => (y) <int64[2] s = {4, 2}> { y = Reshape (x, s) }"),
       "Reshape"},
      {"ReshapeWithTwoOpenDims", from_text("g (float[2,3] x) => (y) <int64[2] s = {-1, -1}> { y = Reshape (x, s) }"),
       "more than one -1"},
      {"ReshapeToNegative", from_text("g (float[6] x) => (y) <int64[1] s = {-6}> { y = Reshape (x, s) }"), "-6"},
      {"ConcatAxisOutOfRange", from_text("g (float[2] a, float[2] b) => (y) { y = Concat <axis = 5> (a, b) }"), "5"},
      {"ConcatOfUnlikeShapes", from_text("g (float[2,3] a, float[3,4] b) => (y) { y = Concat <axis = 0> (a, b) }"),
       "Concat"},
      {"MatMulInnerMismatch", from_text("g (float[2,3] a, float[4,5] b) => (y) { y = MatMul (a, b) }"), "MatMul"},
      {"ConvChannelMismatch", from_text("g (float[1,3,8,8] x, float[4,2,3,3] w) => (y) { y = Conv (x, w) }"), "Conv"},
      {"ConvWithStrideZero",
       from_text("g (float[1,1,8,8] x, float[1,1,3,3] w) => (y) { y = Conv <strides = [0, 0]> (x, w) }"), "Conv"},
      {"PoolWithHugeKernel",
       from_text("g (float[1,1,8,8] x) => (y) { y = MaxPool <kernel_shape = [4611686018427387904, 3]> (x) }"),
       "MaxPool"},
      {"BroadcastMismatch", from_text("g (float[2,3] a, float[2,4] b) => (y) { y = Add (a, b) }"), "Add"},
      {"TooFewInputs", from_text("g (float[2] a) => (y) { y = Add (a) }"), "has 1 inputs, takes 2"},
      {"TooManyInputs", from_text("g (float[2] a) => (y) { y = Relu (a, a) }"), "has 2 inputs"},
      {"NoOutputs", GraphBytes().node("Relu", {"x"}, {}).input("x").output("x").model(), "has 0 outputs"},
      {"TooManyOutputs", from_text("g (float[2] a) => (y) { y, z = Relu (a) }"), "has 2 outputs, gives at most 1"},
      {"RequiredInputOmitted", from_text("g (float[2] a) => (y) { y = Add (a, \"\") }"), "Add", Until::run},
      {"RequiredAttributeMissing", from_text("g (float[2] x) => (y) { y = Cast (x) }"), "'to'"},
      {"AttributeOfWrongKind", from_text("g (float[2,2] x) => (y) { y = Transpose <perm = \"10\"> (x) }"), "'perm'"},
      {"CastToUnknownType", from_text("g (float[2] x) => (y) { y = Cast <to = 77> (x) }"), "77"},
      {"PermutationOfOtherRank", from_text("g (float[2,2] x) => (y) { y = Transpose <perm = [0, 1, 2]> (x) }"),
       "Transpose"},
      {"PermutationWithRepeats", from_text("g (float[2,2] x) => (y) { y = Transpose <perm = [0, 0]> (x) }"),
       "Transpose"},
      {"IfWithoutBranches", from_text("g (bool c) => (y) { y = If (c) }"), "branch"},
      {"IfWithOneBranch", from_text("g (bool c) => (y) { y = If (c) <then_branch = t () => (a) <float a = {1}> {}> }"),
       "'else_branch'"},
      {"IfWithUnlikeBranches", from_text(R"(g (bool c, float[2] x) => (y) {
          y = If (c) <then_branch = t () => (a) { a = Relu (x) }, else_branch = e () => (b, d) { b, d = Split <axis = 0> (x) }> })"),
       "one branch has 1 outputs, the other 2"},
      {"LoopBodyThatDoesNotFit", from_text(R"(g (int64 n, bool c, float[2] x) => (y) {
          y = Loop (n, c, x) <body = b (int64 i, bool go) => (bool stay) { stay = Identity (go) }> })"),
       "Loop"},
      {"FunctionGivenABodyThatCaptures",
       from_text(R"(g (bool c, float[2] x) => (y) { y = local.f <branch = b () => (r) { r = Relu (x) }> (c) }
          <domain: "local", opset_import: ["" : 17]>
          f <branch> (c) => (y) { y = If <then_branch: graph = @branch, else_branch: graph = @branch> (c) })"),
       "reads values around the call"},
      {"ScanWithTooManyScanInputs", from_text(R"(g (float[2,3] x) => (y) {
          y = Scan (x) <num_scan_inputs = 5, body = b (float[3] row) => (float[3] out) { out = Relu (row) }> })"),
       "Scan"},
      {"ScanWithNegativeScanInputs", from_text(R"(g (float[2,3] x) => (y) {
          y = Scan (x) <num_scan_inputs = -1, body = b (float[3] row) => (float[3] out) { out = Relu (row) }> })"),
       "Scan"},
      {"SplitInMorePiecesThanThereAre",
       from_text("g (float[2] x) => (a, b) <int64[2] s = {5, 5}> { a, b = Split <axis = 0> (x, s) }"), "Split"},
      {"EinsumThatIsNoEquation", from_text("g (float[2] x) => (y) { y = Einsum <equation = \"i->->i\"> (x) }"),
       "Einsum"},
      {"GatherIndexOutOfRange", from_text("g (float[2] x) => (y) <int64[1] i = {7}> { y = Gather (x, i) }"), "7",
       Until::run},
      {"NegativeRepeats", from_text("g (float[2] x) => (y) <int64[1] r = {-3}> { y = Tile (x, r) }"), "-3", Until::run},
      {"NegativePads", from_text("g (float[2] x) => (y) <int64[2] p = {-3, -3}> { y = Pad (x, p) }"), "Pad",
       Until::run},
      {"OperatorNobodyKnows", from_text("g (float[2] x) => (y) { y = Frobnicate (x) }"), "no meaning", Until::run},
      {"ExpandToTerabytes", from_text("g (float[1] x) => (y) <int64[1] s = {1099511627776}> { y = Expand (x, s) }"),
       "1099511627776 elements", Until::run},
  };
}

class BrokenOperatorTest : public testing::TestWithParam<BrokenModel> {};

TEST_P(BrokenOperatorTest, IsRefusedInOneSentence) { expect_refused(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Operators, BrokenOperatorTest, testing::ValuesIn(broken_operators()),
                         [](const testing::TestParamInfo<BrokenModel>& tested) { return tested.param.name; });

TEST(OddModelTest, UnknownOperatorsAreOpaque) {
  expect_accepted(from_text("g (float[2] x) => (y) { t = Frobnicate (x) y = acme.Twist <turns = 3> (t) }"));
}

TEST(OddModelTest, WhatWouldFillTheMemoryIsNotFolded) {
  const std::string huge = "{1099511627776}";
  for (const char* const node : {"ConstantOfShape (n)", "Expand (one, n)", "Tile (one, n)", "Pad (one, pads)",
                                 "Range (from, to, step)", "OneHot (ids, to, range)", "EyeLike (wide)"})
    expect_accepted(from_text(fmt::format(
        "g () => (y) <int64[1] n = {0}, float[1] one = {{1}}, int64[2] pads = {{0, 1099511627776}}, int64 from = "
        "{{0}}, "
        "int64 to = {0}, int64 step = {{1}}, int64[1] ids = {{3}}, float[2] range = {{0, 1}}, int64[2] w = {{99999999, "
        "99999999}}> {{ wide = ConstantOfShape (w) y = {1} }}",
        huge, node)));
}

TEST(OddModelTest, WhatWouldTakeForeverIsNotFolded) {
  const std::string ones = "{" + [] {
    std::string list = "1";
    for (int i = 1; i < 500; ++i) list += ",1";
    return list;
  }() + "}";
  expect_accepted(from_text(fmt::format(
      "g () => (y) <float[500] v = {}> {{ s = Einsum <equation = \"a,b,c,d->\"> (v, v, v, v) y = Relu (s) }}", ones)));
}

TEST(OddModelTest, LoopsInLoopsAreNotLookedAtTooOften) { expect_accepted(from_text(nested_loops(30))); }

TEST(OddModelTest, IntegersDividedByZeroAreZero) {
  for (const char* const op : {"Div", "Mod"})
    expect_accepted(from_text(fmt::format("g (int64[2] x) => (y) <int64 zero = {{0}}> {{ y = {} (x, zero) }}", op)),
                    Until::run);
}

TEST(OddModelTest, LoopsAreNotRunToCleanThem) {
  expect_accepted(from_text(R"(g () => (y) <int64 n = {9223372036854775807}, bool c = {1}, float[2] x = {1, 2}> {
      t = Loop (n, c, x) <body = b (int64 i, bool go, float[2] s) => (bool stay, float[2] r) {
        stay = Identity (go) r = Relu (s) }>
      y = Relu (t) })"));
}

}  // namespace
}  // namespace hone
