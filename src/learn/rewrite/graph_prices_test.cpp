#include "learn/rewrite/graph_prices.h"

#include <gtest/gtest.h>

#include "base/child_process.h"
#include "graph/clean/clean_case_test.h"
#include "learn/policy/card.h"

namespace hone {
namespace {

/// Prices that nobody has taught, which are the roofline's, for the runtime called `some`.
std::string first_prices(const std::filesystem::path& folder) {
  Safetensors contents = price_policy().draw_networks({.width = 4, .rounds = 1}, 1);
  for (auto& [name, array] : contents.arrays)
    if (name.find("head") != std::string::npos) std::ranges::fill(array.values, 0.0F);
  price_policy().set_first_rule(contents, parse_objective("seconds"));
  contents.metadata[priced_runtime_key(1)] = "some";
  seal(contents);
  write_safetensors(folder / "prices.safetensors", contents);
  return (folder / "prices.safetensors").string();
}

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
