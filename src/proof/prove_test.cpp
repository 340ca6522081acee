#include "proof/prove.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(ProveTest, EveryRuleHolds) {
  for (const Rule& rule : builtin_rules()) {
    const Proof proof = prove(rule, ProofOptions::fast());
    EXPECT_TRUE(proof.proved) << rule.name << ": " << proof.reason;
  }
}

TEST(ProveTest, FindsWrongRules) {
  const auto proved = [](std::string_view text) {
    return prove(parse_rules(text, "case")[0], ProofOptions::fast()).proved;
  };
  // The mistakes of TASO: a multiplier dropped, groups whose outputs have different sizes, alpha ignored.
  EXPECT_FALSE(proved("rule a y = Mul(Conv<*p>(x, w), m) => y = Conv<*p>(x, w)"));
  EXPECT_FALSE(
      proved("rule b y = Concat<axis=1>(Conv<*p>(x, v), Conv<*p>(z, w)) => y = Conv<group=2, "
             "strides=[1,1]>(Concat<axis=1>(x, z), Concat<axis=0>(v, w))"));
  EXPECT_FALSE(proved("rule c y = Gemm<alpha=f, transA=0, transB=0>(x, w) => y = MatMul(x, w)"));
  EXPECT_FALSE(proved("rule d y = Sub(a, b) => y = Sub(b, a)"));
  EXPECT_FALSE(proved("rule e y = Div(Mul(x, a), b) => y = Mul(x, Div(a, b))"));  // not for integers
  EXPECT_TRUE(proved("rule e y = Div(Mul(x, a), b) where float(x), size(y) == size(x) => y = Mul(x, Div(a, b))"));
}

TEST(ProveTest, DoesNotCallARuleProvedThatNoInstanceMeets) {
  const Proof proof =
      prove(parse_rules("rule a y = Relu(x) where rank(x) == 77 => y = x", "case")[0], ProofOptions::fast());
  EXPECT_FALSE(proof.proved);
  EXPECT_NE(proof.reason.find("no instance"), std::string::npos);
}

}  // namespace
}  // namespace hone
