#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hone {

/// The value below which a share of ascending numbers lies, by straight lines between neighbours. There must be one.
double quantile(std::span<const double> ascending, double share);
/// The middle value; there must be one.
double median(std::vector<double> values);
/// Mean of the middle half: about as robust as the median against bursts and nearly as sharp as the mean. There must be
/// a value.
double middle_mean(std::vector<double> values);

/// So many deviations to either side hold 95 % of what is distributed normally.
inline constexpr double kNormal95 = 1.959964;
/// How much wider Student's interval is than the normal one whose quantile is `z`, for the mean of so many values whose
/// spread comes from drawing them with replacement.
double student_factor(double z, std::size_t count);

/// What people want to know of many timings of one thing.
struct LatencySummary {
  std::size_t runs = 0;
  double median = 0, p90 = 0, p95 = 0, p99 = 0;  // seconds, as all below
  double mean = 0, deviation = 0;
  double shortest = 0, longest = 0;

  /// Deviation over mean.
  double variation() const { return mean > 0 ? deviation / mean : 0; }
};
/// Of at least one timing.
LatencySummary summarize_latency(std::vector<double> seconds);

/// How much the later third of a series is slower than the first third: 0.05 is five percent. 0 for short series.
double drift_of(std::span<const double> seconds);

}  // namespace hone
