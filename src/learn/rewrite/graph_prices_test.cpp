#include "learn/rewrite/graph_prices.h"

#include <gtest/gtest.h>

#include "graph/clean/clean_case_test.h"
#include "learn/rewrite/first_prices_test.h"

namespace hone {
namespace {

Model product_model(int rows, std::string_view more) {
  return typed_model(
      fmt::format("net (float[{0}, 64] x, float[64, 64] w) => (float[{0}, 64] y) {{ {1} }}", rows, more));
}

TEST(GraphPricesTest, WhatNobodyTaughtPricesByWorkAndBytes) {
  const TemporaryFolder folder;
  const std::optional<GraphPrices> prices = GraphPrices::of(first_prices(folder.path()), "some");
  ASSERT_TRUE(prices);
  const double small = prices->seconds(product_model(64, "y = MatMul(x, w)"));
  EXPECT_GT(prices->seconds(product_model(6400, "y = MatMul(x, w)")), 20 * small);
  EXPECT_GT(prices->seconds(product_model(64, "t = MatMul(x, w) y = MatMul(t, w)")), 1.3 * small);
  EXPECT_FALSE(GraphPrices::of(first_prices(folder.path()), "another"));
}

TEST(GraphPricesTest, OptionsAreColumnsOfAllNodes) {
  const std::vector<std::string> options = {"without SkipLayerNormFusion"};
  ASSERT_TRUE(is_priced_option(options[0]));
  EXPECT_FALSE(is_priced_option("without anything"));
  const Model model = product_model(8, "t = MatMul(x, w) y = Relu(t)");
  const RewriteScene plain = price_scene(model), changed = price_scene(model, options);
  std::size_t differing = 0;
  for (std::size_t i = 0; i < plain.rows.size(); ++i) differing += plain.rows[i] != changed.rows[i] ? 1 : 0;
  EXPECT_EQ(differing, 2u);  // nodes
}

TEST(GraphPricesTest, WhatIsComputedFromConstantsAloneCostsNothing) {
  const Model model = typed_model(R"(net (float[4] x) => (float[4] y)
      <float[4] c = {1, 2, 3, 4}> { d = Exp(c) y = Add(x, d) })");
  EXPECT_EQ(price_scene(model).nodes, 1u);
}

TEST(GraphPricesTest, APolicyOfAnotherKindIsRefused) {
  EXPECT_THROW(GraphPrices::of("guided-memory", "some"), InputError);
}

}  // namespace
}  // namespace hone
