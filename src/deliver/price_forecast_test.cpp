#include "deliver/price_forecast.h"

#include <gtest/gtest.h>

#include "graph/clean/clean_case_test.h"

namespace hone {
namespace {

/// By the prices that are built in for the runtime that users are meant to have.
std::optional<Proposal> improved_by_usual_prices(const Proposal& start) {
  const RuntimeKind& usual = RuntimeKind::usual();
  const GraphPrices prices = *GraphPrices::builtin(std::string(usual.name()));
  const TunedPrices untuned(prices, with_types(*start.model));
  PriceForecast forecast(untuned, with_types);
  return improved_by(forecast, start, *usual.make(""), 1);
}

Proposal proposal_of(Model model) {
  return {.model = std::make_shared<const Model>(std::move(model)), .options = {}, .steps = {}};
}

TEST(PriceForecastTest, RewritesWhatTheRuntimeIsSlowAt) {
  const Model before = typed_model("net (float[64, 512] x) => (float[64, 512] y) { y = Softplus(x) }");
  const std::optional<Proposal> after = improved_by_usual_prices(proposal_of(before));
  ASSERT_TRUE(after);
  EXPECT_EQ(after->steps[0].name, "rules kernels_softplus");
  expect_stands_in(before, *after->model);
}

TEST(PriceForecastTest, LeavesAloneWhatNothingIsGainedBy) {
  const Model before = typed_model("net (float[64, 512] x) => (float[64, 512] y) { y = Relu(x) }");
  EXPECT_FALSE(improved_by_usual_prices(proposal_of(before)));
}

}  // namespace
}  // namespace hone
