#include "rewrite/discover/generate.h"

#include <gtest/gtest.h>

#include "rewrite/discover/same_rule.h"

namespace hone {
namespace {

bool has(const Generation& found, const Rule& wanted) {
  return std::ranges::any_of(found.rules, [&](const GeneratedRule& each) { return same_rule(each.rule, wanted); });
}

bool has(const Generation& found, std::string_view text) { return has(found, parse_rules(text, "case")[0]); }

TEST(GenerateTest, FindsRulesThatHoneComesWith) {
  const Generation found = generate_rules(
      {.operators = 2, .seconds = 1e9, .worlds = {"elements", "matrices"}, .proof = ProofOptions::fast()});
  for (const char* name : {"neg-neg", "sub-neg", "add-add-constants", "mul-mul-constants", "add-of-sub-from-constant",
                           "relu-of-transpose", "matmul-chain", "matmul-chain-from-the-right"})
    EXPECT_TRUE(has(found, *select_rules(name)[0])) << name;
}

TEST(GenerateTest, FindsTheFamiliesOfMatricesWithTwoOperators) {
  const Generation found =
      generate_rules({.operators = 2, .seconds = 1e9, .worlds = {"matrices"}, .proof = ProofOptions::fast()});
  EXPECT_TRUE(has(found, "rule r y = MatMul(MatMul(a, b), c) => y = MatMul(a, MatMul(b, c))"));
  EXPECT_TRUE(has(found, "rule r y = Relu(Transpose(a)) => y = Transpose(Relu(a))"));
  EXPECT_TRUE(has(found, "rule r y = Transpose(Transpose(a)) => y = a"));
  EXPECT_TRUE(has(found, "rule r y, z = Split(Concat(a, b)) => y = a z = b"));
  EXPECT_FALSE(has(found, "rule r y = MatMul(a, b) => y = MatMul(b, a)"));
}

TEST(GenerateTest, WritesRulesThatParseBackAndAreProved) {
  const GenerateOptions options{.operators = 2, .seconds = 1e9, .worlds = {"elements"}, .proof = ProofOptions::fast()};
  const Generation found = generate_rules(options), again = generate_rules(options);
  ASSERT_EQ(found.rules.size(), again.rules.size());
  EXPECT_GT(found.rules.size(), 10u);
  for (std::size_t i = 0; i < found.rules.size(); ++i) {
    EXPECT_EQ(found.rules[i].rule.text, again.rules[i].rule.text);
    const std::vector<Rule> parsed = parse_rules(found.rules[i].rule.text, "case");
    ASSERT_EQ(parsed.size(), 1u);
    EXPECT_TRUE(prove(parsed[0], ProofOptions::fast()).proved) << parsed[0].text;
  }
}

}  // namespace
}  // namespace hone
