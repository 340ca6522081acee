#include "deliver/price_forecast.h"

#include <gtest/gtest.h>

#include "graph/clean/clean_case_test.h"

namespace hone {
namespace {

/// The prices that are built in for the runtime that users are meant to have.
GraphPrices usual_prices() { return *GraphPrices::builtin(std::string(RuntimeKind::usual().name())); }

Proposal proposal_of(Model model) {
  return {.model = std::make_shared<const Model>(std::move(model)), .options = {}, .steps = {}};
}

TEST(PriceForecastTest, RewritesWhatTheRuntimeIsSlowAt) {
  const Model before = typed_model("net (float[64, 512] x) => (float[64, 512] y) { y = Softplus(x) }");
  const std::optional<Proposal> after = rewritten_by_prices(proposal_of(before), usual_prices(), 1);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->steps[0].name, "rules kernels_softplus");
  expect_stands_in(before, *after->model);
}

TEST(PriceForecastTest, LeavesAloneWhatNothingIsGainedBy) {
  const Model before = typed_model("net (float[64, 512] x) => (float[64, 512] y) { y = Relu(x) }");
  EXPECT_FALSE(rewritten_by_prices(proposal_of(before), usual_prices(), 1));
}

}  // namespace
}  // namespace hone
