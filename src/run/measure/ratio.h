#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hone {

/// How much longer one thing takes than another, from rounds in which both were timed side by side.
struct RatioEstimate {
  double ratio = 1;                          // of the times, candidate over baseline
  double low = 0, high = 0;                  // 95 % interval
  double certain_low = 0, certain_high = 0;  // 99 % interval, which a claim must exclude 1 by
  bool differs = false;                      // whether a difference is claimed

  double speedup() const { return 1 / ratio; }
};

/// The standard error of the logarithm of a ratio, about a quarter of its interval.
double log_error(const RatioEstimate& ratio);

/// What a candidate takes over a baseline where it was timed beside something else, which was timed beside the
/// baseline.
RatioEstimate chained(const RatioEstimate& candidate, const RatioEstimate& beside);

/// Differences smaller than this share are never claimed: where code and data happen to lie in memory does as much.
inline constexpr double kSmallestClaim = 0.005;

/// Estimates the ratio from the logarithms of the ratios of all rounds, in blocks of rounds that lie close together in
/// time (each made with fresh sessions where that is possible).
///
/// The centre is the middle mean of the logarithms. Since neighbouring rounds resemble one another, and rounds of one
/// block share where memory happened to be, the intervals come from a bootstrap on two levels: blocks are drawn with
/// replacement, and from each, runs of neighbouring rounds. As only few blocks are drawn from, the spread found is
/// widened by what Student's distribution asks for beyond the normal one. The same seed gives the same intervals.
RatioEstimate estimate_ratio(std::span<const std::vector<double>> log_ratios, std::uint64_t seed = 0);

}  // namespace hone
