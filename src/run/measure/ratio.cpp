#include "run/measure/ratio.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/random.h"
#include "run/measure/statistics.h"

namespace hone {
namespace {

constexpr std::size_t kResamples = 1000;
constexpr double kNormal99 = 2.575829;

/// Draws as many rounds as the block has, in runs of neighbours that wrap around its end.
void draw_rounds(const std::vector<double>& block, Rng& rng, std::vector<double>& drawn) {
  const auto count = static_cast<double>(block.size());
  const std::size_t run = std::max<std::size_t>(1, static_cast<std::size_t>(std::cbrt(count)));
  for (std::size_t taken = 0; taken < block.size();) {
    const std::size_t start = rng.below(block.size());
    for (std::size_t i = 0; i < run && taken < block.size(); ++i, ++taken)
      drawn.push_back(block[(start + i) % block.size()]);
  }
}

}  // namespace

RatioEstimate estimate_ratio(std::span<const std::vector<double>> log_ratios, std::uint64_t seed) {
  std::vector<const std::vector<double>*> blocks;
  std::vector<double> all;
  for (const std::vector<double>& block : log_ratios) {
    if (block.empty()) continue;
    blocks.push_back(&block);
    all.insert(all.end(), block.begin(), block.end());
  }
  HONE_CHECK(!all.empty());
  const double centre = middle_mean(all);
  Rng rng(seed);
  std::vector<double> spread;
  for (std::size_t i = 0; i < kResamples; ++i) {
    std::vector<double> drawn;
    drawn.reserve(all.size() + 1);
    for (std::size_t block = 0; block < blocks.size(); ++block)
      draw_rounds(*blocks[rng.below(blocks.size())], rng, drawn);
    spread.push_back(middle_mean(std::move(drawn)) - centre);
  }
  std::ranges::sort(spread);
  const auto bound = [&](double share, double z) {
    return std::exp(centre + student_factor(z, blocks.size()) * quantile(spread, share));
  };
  RatioEstimate estimate{.ratio = std::exp(centre),
                         .low = bound(0.025, kNormal95),
                         .high = bound(0.975, kNormal95),
                         .certain_low = bound(0.005, kNormal99),
                         .certain_high = bound(0.995, kNormal99)};
  estimate.differs = blocks.size() > 1 && std::fabs(centre) >= kSmallestClaim &&
                     (estimate.certain_low > 1 || estimate.certain_high < 1);
  return estimate;
}

double log_error(const RatioEstimate& ratio) { return std::log(ratio.high / ratio.low) / 4; }

RatioEstimate chained(const RatioEstimate& candidate, const RatioEstimate& beside) {
  const double ratio = candidate.ratio * beside.ratio;
  // How far one end of an interval lies from its middle, of both together.
  const auto apart = [&](double RatioEstimate::*end) {
    return std::exp(std::hypot(std::log(candidate.*end / candidate.ratio), std::log(beside.*end / beside.ratio)));
  };
  RatioEstimate both{.ratio = ratio,
                     .low = ratio / apart(&RatioEstimate::low),
                     .high = ratio * apart(&RatioEstimate::high),
                     .certain_low = ratio / apart(&RatioEstimate::certain_low),
                     .certain_high = ratio * apart(&RatioEstimate::certain_high)};
  both.differs = std::fabs(std::log(ratio)) >= kSmallestClaim && (both.certain_low > 1 || both.certain_high < 1);
  return both;
}

}  // namespace hone
