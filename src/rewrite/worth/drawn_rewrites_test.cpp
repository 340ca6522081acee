#include "rewrite/worth/drawn_rewrites.h"

#include <gtest/gtest.h>

#include <set>

#include "graph/clean/clean_case_test.h"
#include "plan/machine/machine_file.h"
#include "rewrite/search/zoo_model_test.h"
#include "rewrite/worth/timed_rewrites.h"

namespace hone {
namespace {

TEST(DrawnRewritesTest, AreDifferentAndTheSameForTheSameSeed) {
  const Model model = clean_zoo_model("squeezenet:weights=zero");
  const RooflinePricing pricing(load_machine("cpu-gpu"), model.opsets);
  const RewriteSpace space(model, Matcher(select_rules("all"), RuleSetting::of(model)), pricing);
  const std::vector<StatePointer> drawn = drawn_rewrites(space, 12, 3), again = drawn_rewrites(space, 12, 3);
  ASSERT_EQ(drawn.size(), 12u);
  std::set<std::uint64_t> hashes;
  std::set<std::string> rules;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    EXPECT_EQ(drawn[i]->hash, again[i]->hash);
    EXPECT_NE(drawn[i]->hash, space.start()->hash);
    hashes.insert(drawn[i]->hash);
    rules.insert(rules_towards(*drawn[i]));
  }
  EXPECT_EQ(hashes.size(), 12u);
  EXPECT_GT(rules.size(), 3u);
}

TEST(DrawnRewritesTest, EndsWhereThereAreNoMore) {
  const Model model = typed_model("g (float[2] x) => (y) { a = Relu(x) y = Relu(a) }");
  const RooflinePricing pricing(load_machine("cpu-gpu"), model.opsets);
  const RewriteSpace space(model, Matcher(select_rules("relu-relu"), RuleSetting::of(model)), pricing);
  EXPECT_EQ(drawn_rewrites(space, 10, 0).size(), 1u);
}

}  // namespace
}  // namespace hone
