#include "rewrite/rules/rewrite_case_test.h"

namespace hone {
namespace {

TEST(ReplacementTest, FoldsBatchNormalizationIntoAGroupedDilatedConvolution) {
  const Model model = typed_model(R"(g (float[1,4,7,6] x) => (y)
    <float[4,2,2,2] w = {1,2,3,4,5,6,7,8,1,1,2,2,3,3,4,4,0,1,0,1,1,0,1,0,2,3,2,3,5,1,5,1},
     float[4] s = {1,2,3,4}, float[4] t = {0,1,0,1}, float[4] m = {1,1,2,2}, float[4] v = {4,1,9,2}> {
      c = Conv<group = 2, dilations = [2, 1], pads = [1, 0, 0, 1], strides = [1, 2]>(x, w)
      y = BatchNormalization<epsilon = 0.5>(c, s, t, m, v) })");
  EXPECT_EQ(after_rule("conv-batch-normalization", model), "Conv");
}

TEST(ReplacementTest, MergesProductsThatShareAnInput) {
  const Model model = typed_model(R"(g (float[2,3] x) => (float[2,1] y, z)
    <float[3,1] a = {1,2,3}, float[3,2] b = {1,0,2,0,3,1}> {
      y = MatMul(x, a)
      q = MatMul(x, b)
      z = Relu(q) })");
  EXPECT_EQ(after_rule("merge-matmul-shared-input", model), "MatMul Split Relu");
}

TEST(ReplacementTest, MergesConvolutionsWithBiasOrWithoutButNotMixed) {
  const auto model = [](std::string_view first, std::string_view second) {
    return typed_model(fmt::format(R"(g (float[1,1,3,3] x) => (y, z)
      <float[1,1,2,2] v = {{1,2,3,4}}, float[2,1,2,2] w = {{1,2,3,4,5,6,7,8}}, float[1] a = {{1}}, float[2] b = {{1,2}}> {{
        y = Conv{}
        z = Conv{} }})",
                                   first, second));
  };
  EXPECT_EQ(after_rule("merge-conv-shared-input", model("(x, v)", "(x, w)")), "Conv Split");
  EXPECT_EQ(after_rule("merge-conv-shared-input", model("(x, v, a)", "(x, w, b)")), "Conv Split");
  EXPECT_EQ(after_rule("merge-conv-shared-input", model("(x, v, a)", "(x, w)")), "-");
  EXPECT_EQ(after_rule("merge-conv-shared-input", model("<pads=[1,0,0,0]>(x, v)", "(x, w)")), "-");
}

TEST(ReplacementTest, MovesAnActivationBehindAConcatOfAnyLength) {
  const Model model = typed_model(R"(g (float[2,3] a, float[2,1] b, float[2,2] c) => (y) {
      p = Relu(a)
      q = Relu(b)
      r = Relu(c)
      y = Concat<axis = -1>(p, q, r) })");
  EXPECT_EQ(after_rule("concat-of-relus", model), "Concat Relu");
}

TEST(ReplacementTest, DoesNotMergeProductsOfWhichOneNeedsTheOther) {
  // All of it is computed from constants, so that the second bias, which is the first sum, counts as one too.
  const Model model = typed_model(R"(g (float[2] x) => (y, z, u)
    <float[1] c = {2}, float[1,2] a = {1,2}, float[1,2] b = {3,4}, float[2] p = {1,1}> {
      s = MatMul(c, a)
      y = Add(s, p)
      t = MatMul(c, b)
      z = Add(t, y)
      u = Add(x, z) })");
  EXPECT_EQ(after_rule("merge-biased-matmuls-shared-input", model), "-");
}

TEST(ReplacementTest, LeavesInnerValuesThatOthersRead) {
  const auto model = [](std::string_view reader) {
    return typed_model(fmt::format(R"(g (float[2,3] x) => (y, z) <float low = {{0}}, float high = {{6}}> {{
      p = Relu(x)
      y = Clip(p, low, high)
      z = Neg({}) }})",
                                   reader));
  };
  EXPECT_EQ(after_rule("relu-clip", model("x")), "Neg Clip");
  EXPECT_EQ(after_rule("relu-clip", model("p")), "-");
}

}  // namespace
}  // namespace hone
