#include "rewrite/discover/same_rule.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

bool same(std::string_view a, std::string_view b) {
  return same_rule(parse_rules(a, "case")[0], parse_rules(b, "case")[0]);
}

TEST(SameRuleTest, LooksAtWiringAndNotAtNames) {
  constexpr std::string_view kFactor = "rule r y = Add(Mul(x, a), Mul(z, a)) => y = Mul(Add(x, z), a)";
  EXPECT_TRUE(same(kFactor, "rule s q = Add(Mul(c, u), Mul(c, v)) => q = Mul(c, Add(v, u))"));
  EXPECT_FALSE(same(kFactor, "rule s q = Add(Mul(c, u), Mul(d, v)) => q = Mul(c, Add(v, u))"));
  EXPECT_FALSE(same(kFactor, "rule s q = Mul(c, Add(v, u)) => q = Add(Mul(c, u), Mul(c, v))"));
}

TEST(SameRuleTest, TellsTheOperandsOfOthersApart) {
  EXPECT_FALSE(same("rule r y = Sub(a, Neg(b)) => y = Add(a, b)", "rule r y = Sub(Neg(b), a) => y = Add(a, b)"));
  EXPECT_TRUE(same("rule r y = MatMul(x, a) z = MatMul(x, b) => y, z = Split(MatMul(x, Concat(a, b)))",
                   "rule r z = MatMul(x, b) y = MatMul(x, a) => y, z = Split(MatMul(x, Concat(a, b)))"));
}

}  // namespace
}  // namespace hone
