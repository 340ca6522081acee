#include "run/measure/ratio.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace hone {
namespace {

/// Logarithms of ratios as a busy machine gives them: noise that drifts, bursts that hit one side of a round, and an
/// offset of each block for where its memory lay.
std::vector<std::vector<double>> noisy_rounds(double log_ratio, Rng rng) {
  std::vector<std::vector<double>> blocks(8);
  for (std::vector<double>& block : blocks) {
    const double offset = 0.003 * rng.normal();
    double drift = 0;
    for (int round = 0; round < 60; ++round) {
      drift = 0.8 * drift + 0.01 * rng.normal();
      const double burst = rng.uniform() < 0.1 ? (rng.uniform() < 0.5 ? 1 : -1) * rng.uniform() : 0;
      block.push_back(log_ratio + offset + drift + 0.01 * rng.normal() + burst);
    }
  }
  return blocks;
}

std::size_t claims(double log_ratio, std::size_t trials) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < trials; ++i) count += estimate_ratio(noisy_rounds(log_ratio, Rng(i))).differs ? 1 : 0;
  return count;
}

TEST(RatioTest, SeldomClaimsADifferenceWhereThereIsNone) { EXPECT_LE(claims(0, 100), 3u); }

TEST(RatioTest, FindsThreePercentInNoise) { EXPECT_GE(claims(std::log(1.03), 100), 95u); }

TEST(RatioTest, IntervalsHoldTheRatioAndNest) {
  const RatioEstimate estimate = estimate_ratio(noisy_rounds(std::log(0.8), Rng(7)));
  EXPECT_NEAR(estimate.ratio, 0.8, 0.01);
  EXPECT_LT(estimate.low, 0.8);
  EXPECT_GT(estimate.high, 0.8);
  EXPECT_LE(estimate.certain_low, estimate.low);
  EXPECT_GE(estimate.certain_high, estimate.high);
  EXPECT_TRUE(estimate.differs);
  EXPECT_NEAR(estimate.speedup(), 1.25, 0.02);
}

TEST(RatioTest, OneBlockOrATinyDifferenceIsNoClaim) {
  const std::vector<std::vector<double>> one{std::vector<double>(50, 0.5)};
  EXPECT_FALSE(estimate_ratio(one).differs);
  const std::vector<std::vector<double>> tiny(8, std::vector<double>(50, 0.002));
  EXPECT_FALSE(estimate_ratio(tiny).differs);
}

TEST(RatioTest, RatiosAreChainedWithBothErrors) {
  const RatioEstimate beside{.ratio = 0.8, .low = 0.76, .high = 0.84, .certain_low = 0.74, .certain_high = 0.86};
  const RatioEstimate candidate{.ratio = 0.9, .low = 0.86, .high = 0.95, .certain_low = 0.84, .certain_high = 0.97};
  const RatioEstimate both = chained(candidate, beside);
  EXPECT_NEAR(both.ratio, 0.72, 1e-12);
  EXPECT_GT(log_error(both), std::max(log_error(candidate), log_error(beside)));
  EXPECT_LT(log_error(both), log_error(candidate) + log_error(beside));
  EXPECT_TRUE(both.differs);
  const RatioEstimate itself{.ratio = 1, .low = 1, .high = 1, .certain_low = 1, .certain_high = 1};
  EXPECT_NEAR(chained(candidate, itself).low, candidate.low, 1e-12);
}

}  // namespace
}  // namespace hone
