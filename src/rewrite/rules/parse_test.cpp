#include <gtest/gtest.h>

#include "base/error.h"
#include "rewrite/rules/rule.h"

namespace hone {
namespace {

std::string complaint(std::string_view text) {
  try {
    parse_rules(text, "case");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ParseRulesTest, ReadsSidesConditionsAndLists) {
  const std::vector<Rule> rules = parse_rules(
      "rule a-b into com.microsoft\n y... = Relu(x...)\n z = Concat<axis=a, *p>(y...)\n where count(x) == 2\n=>\n z = "
      "Relu(Concat<axis=a>(x...))\n"
      "rule c y = Relu(Relu(x)) => y = Relu(x)",
      "case");
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[0].name, "a-b");
  EXPECT_EQ(rules[0].domain, "com.microsoft");
  EXPECT_EQ(rules[0].left.size(), 2u);
  EXPECT_TRUE(rules[0].left[0].each);
  EXPECT_EQ(rules[0].outputs.size(), 1u);
  EXPECT_EQ(rules[1].inputs.size(), 1u);
}

TEST(ParseRulesTest, ComplainsWithPlaceAndReason) {
  EXPECT_EQ(complaint("rule a\n y = Relu(x)\n=>\n y = Relu(q)"),
            "rules/case.rules:4:12: found ')', expected a name in place of 'q', which nothing defines");
  EXPECT_NE(complaint("rule a y = Relu(x) => z = Relu(x)").find("no output in common"), std::string::npos);
  EXPECT_NE(complaint("rule a y = Relu(x) z = Relu(w) => y = x z = w").find("not connected"), std::string::npos);
  EXPECT_NE(complaint("rule a y = Relu(x) where q == 1 => y = x").find("not bound"), std::string::npos);
  EXPECT_NE(complaint("rule a t = Neg(x) y = Relu(t) => y = Relu(t)").find("before it is defined"), std::string::npos);
}

TEST(ParseRulesTest, ReadsAllBuiltInRules) {
  EXPECT_GT(builtin_rules().size(), 3u);
  EXPECT_EQ(select_rules("relu-relu").size(), 1u);
  EXPECT_EQ(select_rules("all,-relu-relu").size(), builtin_rules().size() - 1);
  EXPECT_THROW(select_rules("none-such"), InputError);
}

}  // namespace
}  // namespace hone
