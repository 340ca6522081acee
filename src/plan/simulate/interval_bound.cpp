#include "plan/simulate/interval_bound.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace hone {
namespace {

constexpr double kSteps = 2e6;       // of the innermost loop, for one look at all intervals
constexpr std::size_t kRounds = 40;  // a round that raises the bound is followed by another

/// At most `most` of them, ascending and evenly spread.
std::vector<double> spread(std::vector<double> times, std::size_t most) {
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  if (times.size() <= most) return times;
  std::vector<double> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(times[i * (times.size() - 1) / (most - 1)]);
  return some;
}

/// Seconds of operations that a schedule of this makespan must do between two times: each operation does least there
/// when it runs as early or as late as it can.
double least_within(std::span<const BoundedOperation> operations, double makespan, double begin, double end) {
  double sum = 0;
  for (const BoundedOperation& operation : operations) {
    const double early = operation.before + operation.seconds - begin;
    const double late = end - (makespan - operation.after - operation.seconds);
    sum += std::max(0.0, std::min({operation.seconds, end - begin, early, late}));
  }
  return sum;
}

/// By how much a makespan must grow. Proof: with q more seconds, what must be done in [begin, end] of a schedule
/// without them must be done in [begin, end + q], as everything may come later by q at most. So streams * (end - begin
/// + q) >= least_within.
double shortfall(std::span<const BoundedOperation> operations, double streams, double makespan) {
  std::vector<double> begins, ends;
  for (const BoundedOperation& operation : operations) {
    begins.insert(begins.end(), {operation.before, makespan - operation.after - operation.seconds});
    ends.insert(ends.end(), {makespan - operation.after, operation.before + operation.seconds});
  }
  const auto most = static_cast<std::size_t>(std::max(2.0, std::sqrt(kSteps / static_cast<double>(operations.size()))));
  double worst = 0;
  const std::vector<double> some_ends = spread(std::move(ends), most);
  for (const double begin : spread(std::move(begins), most))
    for (const double end : some_ends)
      if (begin < end)
        worst = std::max(worst, least_within(operations, makespan, begin, end) / streams - (end - begin));
  return worst;
}

}  // namespace

double interval_bound(std::span<const BoundedOperation> operations, double streams, double bound, Times times) {
  if (operations.empty()) return bound;
  // Sums differ in their last digits; a shortfall as small as that is none.
  const auto raised = [&](double by) {
    return times == Times::whole ? std::ceil((bound + by) * (1 - 1e-9)) : bound + by;
  };
  bound = raised(0);
  for (std::size_t round = 0; round < kRounds; ++round) {
    const double by = shortfall(operations, streams, bound);
    if (by <= bound * 1e-9) break;
    bound = raised(by);
  }
  return bound;
}

}  // namespace hone
