#include "rewrite/proof/prove.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

bool proved(std::string_view text) { return prove(parse_rules(text, "case")[0], ProofOptions::fast()).proved; }

TEST(ProveTest, EveryRuleHolds) {
  for (const Rule& rule : builtin_rules()) {
    const Proof proof = prove(rule, ProofOptions::fast());
    EXPECT_TRUE(proof.proved) << rule.name << ": " << proof.reason;
  }
}

TEST(ProveTest, RefusesTheRulesThatTasoGetsWrong) {
  // A multiplier dropped.
  EXPECT_FALSE(proved("rule a y = Mul(Conv<*p>(x, w), m) => y = Conv<*p>(x, w)"));
  // Groups whose outputs differ in number: its rules 99, 100, 130 and 131.
  EXPECT_FALSE(
      proved("rule a y = Concat<axis=1>(Conv<group=1, *p>(x, v), Conv<group=1, *p>(z, w)) => "
             "y = Conv<group=2, *p>(Concat<axis=1>(x, z), Concat<axis=0>(v, w))"));
  // Right where channels of all inputs and outputs are equal, which is what its generator looked at.
  EXPECT_TRUE(
      proved("rule a y = Concat<axis=1>(Conv<group=1, *p>(x, v), Conv<group=1, *p>(z, w)) "
             "where shape(v) == shape(w), shape(x) == shape(z), finite => "
             "y = Conv<group=2, *p>(Concat<axis=1>(x, z), Concat<axis=0>(v, w))"));
  // Rows of merged groups in the wrong place.
  EXPECT_FALSE(
      proved("rule a y = Conv<group=4, *p>(x, w) where const(w), w: [m, c, ...] => "
             "u, v = Split<axis=0, split=[m / 2, m / 2]>(w) "
             "a = Concat<axis=1>(u, Mul(u, 0)) b = Concat<axis=1>(Mul(v, 0), v) "
             "y = Conv<group=2, *p>(x, Concat<axis=0>(a, b))"));
  // Epsilon of a normalisation, padding, dilation and factors of a product lost.
  EXPECT_FALSE(
      proved("rule a y = BatchNormalization<epsilon=e>(x, s, b, m, v) where float(x), x: [n, c], finite => "
             "y = Add(Mul(Sub(x, m), Div(s, Sqrt(v))), b)"));
  EXPECT_FALSE(proved("rule a y = Conv<pads=q, *p>(x, w) => y = Conv<pads=repeat(1, len(q)), *p>(x, w)"));
  EXPECT_FALSE(
      proved("rule a y = Conv<dilations=d, *p>(x, w) where w: [m, c, 2] => y = Conv<dilations=[1], *p>(x, w)"));
  EXPECT_FALSE(proved("rule a y = Gemm<alpha=f, transA=0, transB=0>(x, w) => y = MatMul(x, w)"));
  EXPECT_FALSE(proved("rule a y = Gemm<beta=f, *p>(x, w, b) => y = Gemm<beta=1.0, *p>(x, w, b)"));
}

TEST(ProveTest, RefusesRulesThatHoldForSomeShapesOnly) {
  EXPECT_FALSE(
      proved("rule a y = Softmax<axis=a>(Transpose<perm=p>(x)) where float(x) => "
             "y = Transpose<perm=p>(Softmax<axis=a>(x))"));
  EXPECT_FALSE(proved("rule a y = Transpose<perm=p>(Transpose<perm=p>(x)) => y = x"));
  EXPECT_TRUE(proved("rule a y = Transpose<perm=p>(Transpose<perm=p>(x)) where rank(x) == 2 => y = x"));
  EXPECT_FALSE(
      proved("rule a y = ReduceMean<axes=a, keepdims=k>(ReduceMean<axes=b, keepdims=0>(x)) where float(x) => "
             "y = ReduceMean<axes=union(a, b), keepdims=k>(x)"));
}

TEST(ProveTest, RefusesRulesThatHoldForSomeNumbersOnly) {
  EXPECT_FALSE(proved("rule d y = Sub(a, b) => y = Sub(b, a)"));
  EXPECT_FALSE(proved("rule e y = Div(Mul(x, a), b) where finite => y = Mul(x, Div(a, b))"));  // not for integers
  EXPECT_TRUE(proved("rule e y = Div(Mul(x, a), b) where float(x), finite => y = Mul(x, Div(a, b))"));
  EXPECT_FALSE(proved("rule f y = Abs(x) => y = x"));
  EXPECT_FALSE(proved("rule f y = Relu(Add(x, z)) => y = Add(Relu(x), Relu(z))"));
}

TEST(ProveTest, AsksForFiniteNumbersWhereARuleNeedsThem) {
  EXPECT_FALSE(proved("rule a y = Add(Mul(x, a), Mul(z, a)) => y = Mul(Add(x, z), a)"));
  EXPECT_TRUE(proved("rule a y = Add(Mul(x, a), Mul(z, a)) where finite => y = Mul(Add(x, z), a)"));
  EXPECT_FALSE(proved("rule a y = Mul(Div(x, a), a) where float(x), shape(x) == shape(a) => y = x"));
}

TEST(ProveTest, SaysHowFarItWent) {
  const Proof proof = prove(
      parse_rules("rule a y = Transpose<perm=p>(Relu(x)) => y = Relu(Transpose<perm=p>(x))", "case")[0], {.scopes = 2});
  EXPECT_TRUE(proof.proved);
  EXPECT_EQ(proof.scope, "small");
  // Shapes of r axes of size 1 or 2, and every permutation: 1 + 2 + 4 * 2 + 8 * 6.
  EXPECT_EQ(proof.choices, 59u);
  EXPECT_GE(proof.enumerated, 59u);
  EXPECT_GT(proof.special, 0u);
  EXPECT_EQ(proof.forms, proof.live_forms);
}

TEST(ProveTest, DoesNotCallARuleProvedThatNoInstanceMeets) {
  const Proof proof =
      prove(parse_rules("rule a y = Relu(x) where rank(x) == 77 => y = x", "case")[0], ProofOptions::fast());
  EXPECT_FALSE(proof.proved);
  EXPECT_NE(proof.reason.find("no instance"), std::string::npos);
}

TEST(ProveTest, CountsHowSurelyPolynomialsDiffer) {
  const Algebra product = algebra_of(parse_rules("rule a y = Mul(x, z) => y = Mul(z, x)", "case")[0]);
  EXPECT_EQ(product.kind, Algebra::Kind::polynomial);
  EXPECT_EQ(product.degree, 2u);
  EXPECT_LT(product.error(), 1e-5);
  EXPECT_EQ(algebra_of(parse_rules("rule a y = Relu(x) => y = x", "case")[0]).kind, Algebra::Kind::numeric);
  EXPECT_EQ(algebra_of(parse_rules("rule a y = Transpose<perm=p>(x) => y = x", "case")[0]).kind, Algebra::Kind::copies);
}

}  // namespace
}  // namespace hone
