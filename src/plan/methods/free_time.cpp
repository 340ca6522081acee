#include "plan/methods/free_time.h"

#include <algorithm>

namespace hone {
namespace {

constexpr std::size_t kGaps = 256;  // a long schedule would spend its time on old gaps that nothing fits into

}  // namespace

/// The first gap that ends after `start`.
std::size_t FreeTime::gap_at(double start) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(gaps_, start, {}, &Gap::end) - gaps_.begin());
}

FreeTime::Opening FreeTime::opening(double ready, double seconds) const {
  if (ready >= end_) return {ready, ready - end_};
  for (std::size_t i = gap_at(ready); i < gaps_.size(); ++i) {
    const double start = std::max(ready, gaps_[i].begin);
    if (start + seconds <= gaps_[i].end) return {start, start - gaps_[i].begin};
  }
  return {end_, 0};
}

void FreeTime::occupy(double start, double seconds) {
  if (start >= end_) {
    if (const Gap before{end_, start}; is_worth_keeping(before)) gaps_.push_back(before);
    if (gaps_.size() > kGaps) gaps_.erase(gaps_.begin(), gaps_.begin() + kGaps / 2);
    end_ = start + seconds;
    return;
  }
  const std::size_t i = gap_at(start);
  if (i == gaps_.size() || gaps_[i].begin > start) return;  // something of no length, between two others
  const auto at = gaps_.begin() + static_cast<std::ptrdiff_t>(i);
  const Gap before{at->begin, start}, after{start + seconds, at->end};
  if (is_worth_keeping(before)) {
    *at = before;
    if (is_worth_keeping(after)) gaps_.insert(at + 1, after);
  } else if (is_worth_keeping(after)) {
    *at = after;
  } else {
    gaps_.erase(at);
  }
}

}  // namespace hone
