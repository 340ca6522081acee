#include "rewrite/rules/rewrite_case_test.h"

// Small graphs on which other optimisers are known to go wrong. Every rewrite that any rule offers here must keep the
// result, which `rewritten` checks rule by rule.

namespace hone {
namespace {

/// Tries every rule on the graph, and again on what it made; returns how many could be applied.
int try_all_rules(const Model& model, int depth = 2) {
  int applied = 0;
  for (const Rule& rule : builtin_rules()) {
    const Rule* const only = &rule;
    const std::optional<Model> after = rewritten(model, std::span(&only, 1));
    if (!after) continue;
    ++applied;
    if (depth > 1) applied += try_all_rules(*after, depth - 1);
  }
  return applied;
}

TEST(ProbesTest, KeepsTheFactorBehindAConvolution) {
  const Model model = typed_model(R"(g (float[1,2,4,4] x) => (y)
    <float[3,2,2,2] w = {1,2,3,4,5,6,7,8,1,2,3,4,5,6,7,8,1,2,3,4,5,6,7,8}, float[1,3,1,1] m = {2,3,4}> {
      c = Conv(x, w)
      y = Mul(c, m) })");
  EXPECT_GT(try_all_rules(model), 0);
}

TEST(ProbesTest, MergesGroupsRightly) {
  std::string weights = "1";
  for (int i = 1; i < 8 * 2; ++i) weights += fmt::format(",{}", (i * 7) % 11);
  const Model model = typed_model(fmt::format(R"(g (float[1,8,3,3] x) => (y)
    <float[8,2,1,1] w = {{{}}}> {{
      y = Conv<group = 4>(x, w) }})",
                                              weights));
  EXPECT_GT(try_all_rules(model), 0);
}

TEST(ProbesTest, KeepsAnInputThatTwoRead) {
  const Model model = typed_model(R"(g (float[1,1,3,3] x) => (y, z, u)
    <float[1,1,2,2] w = {1,2,3,4}, float[1,1,2,2] v = {4,3,2,1}> {
      r = Relu(x)
      y = Conv(r, w)
      u = Conv(r, v)
      z = Neg(r) })");
  EXPECT_GT(try_all_rules(model), 0);
}

TEST(ProbesTest, FoldsBatchNormalizationWithItsEpsilon) {
  const Model model = typed_model(R"(g (float[1,1,3,3] x) => (y)
    <float[2,1,2,2] w = {1,2,3,4,5,6,7,8}, float[2] s = {1,2}, float[2] t = {3,4}, float[2] m = {1,0}, float[2] v = {0,0.001}> {
      c = Conv(x, w)
      y = BatchNormalization<epsilon = 0.01>(c, s, t, m, v) })");
  EXPECT_GT(try_all_rules(model), 0);
}

TEST(ProbesTest, KeepsPaddingThatIsNotSame) {
  const Model model = typed_model(R"(g (float[1,1,6,6] x) => (y, z)
    <float[1,1,3,3] w = {1,2,3,4,5,6,7,8,9}, float[1,1,3,3] v = {9,8,7,6,5,4,3,2,1}> {
      r = Relu(x)
      c = Conv<pads = [2,2,2,2]>(r, w)
      y = Relu(c)
      z = Conv<pads = [2,2,2,2]>(r, v) })");
  EXPECT_GT(try_all_rules(model), 0);
}

TEST(ProbesTest, KeepsDilation) {
  const Model model = typed_model(R"(g (float[1,1,6,6] x) => (y, z)
    <float[1,1,3,3] w = {1,2,3,4,5,6,7,8,9}, float[1,1,3,3] v = {9,2,3,4,5,6,7,8,1}> {
      y = Conv<dilations = [2,2]>(x, w)
      z = Conv<dilations = [2,2]>(x, v) })");
  EXPECT_GT(try_all_rules(model), 0);
}

TEST(ProbesTest, KeepsAlphaAndBeta) {
  const Model model = typed_model(R"(g (float[2,3] x) => (y, z)
    <float[3,2] w = {1,2,3,4,5,6}, float[2] b = {1,2}, float[3,2] v = {6,5,4,3,2,1}> {
      y = Gemm<alpha = 2.0, beta = 0.5>(x, w, b)
      z = Gemm<alpha = 2.0, beta = 0.5>(x, v, b) })");
  EXPECT_GT(try_all_rules(model), 0);
}

TEST(ProbesTest, KeepsWhatItDoesNotKnow) {
  const Model model = typed_model(R"(g (float[2,3] x) => (y) {
      r = Relu(x)
      e = Erf(r)
      t = Tanh(r)
      y = Relu(r) })");
  EXPECT_GT(try_all_rules(model), 0);
}

// What ONNX Runtime leaves as it is.

TEST(ProbesTest, RewritesWhatRuntimesMiss) {
  struct Case {
    const char* rule;
    const char* graph;
    const char* after;
  };
  const Case cases[] = {
      {"mul-reciprocal", "g (float[2,3] x, float[2,3] z) => (y) { r = Reciprocal(z) \n y = Mul(x, r) }", "Div"},
      {"matmul-chain",
       "g (float[2,2] x) => (y) <float[2,2] a = {1,2,3,4}, float[2,2] b = {1,0,2,1}> { t = MatMul(x, a) \n y = "
       "MatMul(t, b) }",
       "MatMul"},
      {"factor-out",
       "g (float[2] x, float[2] z, float[2] a) => (y) { p = Mul(x, a) \n q = Mul(a, z) \n y = Add(p, q) }", "Add Mul"},
      {"matmul-column-scale",
       "g (float[2,2] x) => (y) <float[2,3] w = {1,2,3,4,5,6}, float[3] c = {1,2,3}> { t = MatMul(x, w) \n y = Mul(t, "
       "c) }",
       "MatMul"},
      {"softmax",
       "g (float[2,3] x) => (y) <int64[1] a = {-1}> { m = ReduceMax<axes=[-1]>(x) \n d = Sub(x, m) \n e = Exp(d) \n s "
       "= ReduceSum(e, a) \n y = Div(e, s) }",
       "Softmax"},
      {"einsum", "g (float[1,2,3,4] q, float[1,2,5,4] k) => (y) { y = Einsum<equation = \"bhid,bhjd->bhij\">(q, k) }",
       "Transpose MatMul"},
      {"concat-in-concat",
       "g (float[2] x, float[2] z, float[1] w) => (y) { t = Concat<axis=0>(x, z) \n y = Concat<axis=0>(w, t) }",
       "Concat"},
      {"concat-of-split",
       "g (float[4] x) => (y) { a, b = Split<axis=0>(x) \n c = Concat<axis=0>(a, b) \n y = Relu(c) }", "Relu"},
      {"reduce-mean-twice", "g (float[2,3] x) => (y) { a = ReduceMean<axes=[0]>(x) \n y = ReduceMean<axes=[-1]>(a) }",
       "ReduceMean"},
      {"global-average-pool", "g (float[1,2,3,3] x) => (y) { y = ReduceMean<axes=[2,3]>(x) }", "GlobalAveragePool"},
      {"relu-of-reshape", "g (float[2,3] x) => (y) <int64[1] s = {-1}> { t = Reshape(x, s) \n y = Relu(t) }",
       "Relu Reshape"},
      {"hard-swish", "g (float[3] x) => (y) { h = HardSigmoid<alpha = 0.16666667>(x) \n y = Mul(h, x) }", "HardSwish"},
  };
  for (const Case& each : cases) EXPECT_EQ(after_rule(each.rule, typed_model(each.graph)), each.after) << each.rule;
}

}  // namespace
}  // namespace hone
