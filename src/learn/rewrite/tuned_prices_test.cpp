#include "learn/rewrite/tuned_prices.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graph/clean/clean_case_test.h"
#include "learn/rewrite/first_prices_test.h"

namespace hone {
namespace {

/// Some additions, then what is rewritten.
Model tuned_model(int width, std::string_view last) {
  return typed_model(fmt::format(
      "net (float[{0}, {0}] x) => (float[{0}, {0}] y) {{ a = Add(x, x) b = Add(a, x) y = {1} }}", width, last));
}

class TunedPricesTest : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  const GraphPrices prices_ = *GraphPrices::of(first_prices(folder_.path()), "some");
  const Model original_ = tuned_model(64, "Tanh(b)"), rewritten_ = tuned_model(64, "Erf(b)");

  static double log_ratio(const TunedPrices& tuned, const Model& rewritten, const Model& original) {
    return std::log(tuned.expected(rewritten).seconds / tuned.expected(original).seconds);
  }
};

TEST_F(TunedPricesTest, AreTheLearnedOnesBeforeAnythingIsMeasured) {
  const TunedPrices tuned(prices_, original_);
  EXPECT_DOUBLE_EQ(tuned.expected(rewritten_).seconds, prices_.seconds(rewritten_));
}

TEST_F(TunedPricesTest, ComeToWhatWasMeasuredAndCarryItToOtherSizes) {
  TunedPrices tuned(prices_, original_);
  for (int i = 0; i < 3; ++i) tuned.learn(tuned.sample(rewritten_, {}, -0.15, 0.002));
  EXPECT_NEAR(log_ratio(tuned, rewritten_, original_), -0.15, 0.03);
  const Model larger = tuned_model(160, "Tanh(b)");
  EXPECT_LT(log_ratio(tuned.moved_to(larger), tuned_model(160, "Erf(b)"), larger), -0.08);
}

TEST_F(TunedPricesTest, HopeIsForWhatIsNotKnown) {
  TunedPrices tuned(prices_, original_);
  const auto hope_for = [&](const Model& model) {
    const TunedPrices::Expected expected = tuned.expected(model);
    return expected.seconds / expected.hopeful_seconds(0.1);
  };
  EXPECT_DOUBLE_EQ(hope_for(original_), 1);
  const double before = hope_for(rewritten_);
  EXPECT_GT(before, 1.01);
  for (int i = 0; i < 5; ++i) tuned.learn(tuned.sample(rewritten_, {}, 0.1, 0.002));
  EXPECT_LT(hope_for(rewritten_), 1 + (before - 1) / 4);
}

TEST_F(TunedPricesTest, WhatIsUncertainCountsLess) {
  TunedPrices certain(prices_, original_), uncertain(prices_, original_);
  certain.learn(certain.sample(rewritten_, {}, -0.3, 0.002));
  uncertain.learn(uncertain.sample(rewritten_, {}, -0.3, 1.0));
  EXPECT_LT(log_ratio(certain, rewritten_, original_), log_ratio(uncertain, rewritten_, original_) - 0.05);
}

TEST_F(TunedPricesTest, WhatAnotherModelTaughtCountsLessThanWhatThisOneDid) {
  const Model larger = tuned_model(160, "Tanh(b)"), larger_rewritten = tuned_model(160, "Erf(b)");
  const TunedPrices untuned(prices_, larger);
  const std::vector<PriceSample> samples = {untuned.sample(larger_rewritten, {}, -0.3, 0.002)};
  TunedPrices by_other(prices_, original_), by_own(prices_, original_);
  by_other.learn(PriceLesson{.prices = prices_.digest(), .samples = samples});
  by_own.learn(samples[0]);
  const double before = log_ratio(TunedPrices(prices_, original_), rewritten_, original_);
  EXPECT_LT(log_ratio(by_other, rewritten_, original_), before - 0.005);
  EXPECT_LT(log_ratio(by_own, rewritten_, original_), log_ratio(by_other, rewritten_, original_));
}

TEST_F(TunedPricesTest, NothingIsLearnedOfWhatOtherPricesSay) {
  TunedPrices tuned(prices_, original_);
  const double before = tuned.expected(rewritten_).seconds;
  PriceSample sample = tuned.sample(rewritten_, {}, -0.3, 0.002);
  tuned.learn(PriceLesson{.prices = "others", .samples = {sample}});
  EXPECT_EQ(tuned.expected(rewritten_).seconds, before);
  sample.columns.pop_back();
  tuned.learn(PriceLesson{.prices = prices_.digest(), .samples = {sample}});
  EXPECT_EQ(tuned.expected(rewritten_).seconds, before);
}

}  // namespace
}  // namespace hone
