#include "rewrite/rules/match_order.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(MatchOrderTest, ConditionsOnTensorsAreAskedWhereTheLastOfThemIsFound) {
  const Rule rule = parse_rules(
      "rule three\n"
      "  y = MatMul(x, a)\n"
      "  z = MatMul(x, b)\n"
      "  u = MatMul(x, c)\n"
      "  where const(c), const(a), a: [k, l], before(z, u), before(y, z), l == 4\n"
      "=>\n"
      "  y, z, u = Split<axis=rank(y)-1, split=[l, dim(b, 1), dim(c, 1)]>(MatMul(x, Concat<axis=1>(a, b, c)))\n",
      "test")[0];
  ASSERT_EQ(rule.steps.size(), 3u);
  std::vector<std::size_t> placed(rule.conditions.size(), 0);
  std::vector<bool> found(rule.left.size(), false);
  for (const MatchStep& step : rule.steps) {
    found[step.operation] = true;
    for (const std::size_t condition : step.decides) ++placed[condition];
    // The operations stand in the order y, z, u.
    const auto decides = [&](std::size_t condition) { return placed[condition] == 1; };
    EXPECT_EQ(decides(0), found[2]);
    EXPECT_EQ(decides(1), found[0]);
    EXPECT_EQ(decides(3), found[1] && found[2]);
    EXPECT_EQ(decides(4), found[0] && found[1]);
  }
  EXPECT_EQ(placed[2], 0u) << "a shape binds names and has to wait for attributes";
  EXPECT_EQ(placed[5], 0u) << "names are bound at the end";
}

}  // namespace
}  // namespace hone
