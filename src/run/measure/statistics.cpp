#include "run/measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"

namespace hone {

double quantile(std::span<const double> ascending, double share) {
  HONE_CHECK(!ascending.empty());
  const double place = share * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 >= ascending.size()) return ascending.back();
  const double part = place - static_cast<double>(below);
  return ascending[below] + part * (ascending[below + 1] - ascending[below]);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return quantile(values, 0.5);
}

double middle_mean(std::vector<double> values) {
  HONE_CHECK(!values.empty());
  // The outer quarters need not be in order, only on the right side.
  const std::size_t quarter = values.size() / 4;
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(quarter);
  const auto last = values.end() - static_cast<std::ptrdiff_t>(quarter);
  std::nth_element(values.begin(), first, values.end());
  if (last != values.end()) std::nth_element(first, last, values.end());
  return std::accumulate(first, last, 0.0) / static_cast<double>(last - first);
}

/// Cornish and Fisher's expansion.
double student_factor(double z, std::size_t count) {
  const auto values = static_cast<double>(std::max<std::size_t>(count, 2));
  const double freedom = values - 1;
  const double z2 = z * z;
  const double first = (z2 + 1) / (4 * freedom);
  const double second = ((5 * z2 + 16) * z2 + 3) / (96 * freedom * freedom);
  const double third = (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * freedom * freedom * freedom);
  // Drawing from few values also understates their spread.
  return (1 + first + second + third) * std::sqrt(values / freedom);
}

LatencySummary summarize_latency(std::vector<double> seconds) {
  std::ranges::sort(seconds);
  const auto count = static_cast<double>(seconds.size());
  LatencySummary summary{.runs = seconds.size(),
                         .median = quantile(seconds, 0.5),
                         .p90 = quantile(seconds, 0.9),
                         .p95 = quantile(seconds, 0.95),
                         .p99 = quantile(seconds, 0.99),
                         .mean = std::accumulate(seconds.begin(), seconds.end(), 0.0) / count,
                         .shortest = seconds.front(),
                         .longest = seconds.back()};
  double squares = 0;
  for (const double each : seconds) squares += (each - summary.mean) * (each - summary.mean);
  if (seconds.size() > 1) summary.deviation = std::sqrt(squares / (count - 1));
  return summary;
}

double drift_of(std::span<const double> seconds) {
  const std::size_t third = seconds.size() / 3;
  if (third < 5) return 0;
  const auto early = seconds.first(third), late = seconds.last(third);
  return median({late.begin(), late.end()}) / median({early.begin(), early.end()}) - 1;
}

}  // namespace hone
