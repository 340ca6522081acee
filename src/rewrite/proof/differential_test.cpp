#include "rewrite/proof/differential.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(DifferentialTest, RandomRewritesOfRandomGraphsChangeNoResult) {
  const FuzzReport report = fuzz_rewrites({.graphs = 500, .most_rewrites = 20, .seed = 3, .rules = {}});
  EXPECT_EQ(report.graphs, 500u);
  EXPECT_EQ(report.differences, 0u) << report.first;
  EXPECT_LE(report.unsteady, 5u) << report.first_unsteady;
  EXPECT_GT(report.rewrites, 1000u);
  EXPECT_GT(report.special, 20u);
  EXPECT_GT(report.symbolic, 50u);
  EXPECT_LT(report.unused_rules.size(), 100u);
}

/// What fuzzing with some rules and another finds.
FuzzReport fuzz_with(std::string_view text) {
  const std::vector<Rule> planted = parse_rules(text, "planted");
  std::vector<const Rule*> rules = select_rules("algebra");
  rules.push_back(&planted[0]);
  constexpr std::size_t kRounds = 12;  // in each of which every rule has its turn
  return fuzz_rewrites({.graphs = kRounds * rules.size(), .most_rewrites = 20, .seed = 1, .rules = rules});
}

TEST(DifferentialTest, FindsRulesThatAreWrong) {
  const char* const wrong[] = {
      "rule a y = Relu(Add(x, z)) => y = Add(Relu(x), Relu(z))",
      "rule a y = Transpose<perm=p>(x) where rank(x) == 2 => y = Reshape<shape=shape(y)>(x)",
      "rule a y = Softmax<axis=a>(x) where float(x) => y = Softmax<axis=0>(x)",
      "rule a y = Gemm<alpha=f, *p>(x, w) where float(x), f != 1.0 => y = Gemm<alpha=1.0, *p>(x, w)",
      "rule a y = Add(x, z) where float(x), shape(x) == shape(z) => y = Mul(Add(x, z), 1.0001)",
  };
  for (const char* text : wrong) EXPECT_GT(fuzz_with(text).differences, 0u) << text;
}

TEST(DifferentialTest, FindsRulesThatAreWrongBeforeAJump) {
  const char* const wrong[] = {
      // Rounded to the other side: right on whole numbers only.
      "rule a y = Floor(x) where float(x) => y = Ceil(x)",
      "rule a y = Cast<to=6>(x) where float(x) => y = Cast<to=6>(Floor(x))",
      // A factor lost, which whole numbers show.
      "rule a y = Cast<to=6>(Mul(x, z)) where float(x), shape(x) == shape(z) => y = Cast<to=6>(x)",
      "rule a y = Cast<to=7>(Div(x, z)) where float(x), shape(x) == shape(z) => y = Cast<to=7>(Div(Add(x, 1), z))",
      // A threshold moved.
      "rule a y = Cast<to=7>(Sigmoid(x)) where float(x) => y = Cast<to=7>(Add(Sigmoid(x), 0.25))",
      "rule a y = Greater(x, 1) where float(x) => y = Greater(x, 1.25)",
  };
  for (const char* text : wrong) EXPECT_GT(fuzz_with(text).differences, 0u) << text;
}

TEST(DifferentialTest, DoesNotBlameARuleForRoundingAtAJump) {
  // What was a whole number comes out a little smaller, and the cast makes a whole of it.
  const FuzzReport report = fuzz_with(
      "rule a y = Cast<to=7>(Mul(x, 4)) where float(x), not const(x) => "
      "y = Cast<to=7>(Mul(Mul(x, 4.4), 0.90909090909))");
  EXPECT_EQ(report.differences, 0u) << report.first;
  EXPECT_GT(report.unsteady, 0u);
}

}  // namespace
}  // namespace hone
