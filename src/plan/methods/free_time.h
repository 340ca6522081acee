#pragma once

#include <vector>

namespace hone {

/// When something that does one thing at a time (a stream of a device, a link) has nothing to do: gaps between what it
/// does, and everything after the last.
class FreeTime {
 public:
  /// Nothing will ever ask for less than `shortest` seconds, so that gaps below that need not be kept.
  explicit FreeTime(double shortest = 0) : shortest_(shortest) {}

  void clear() {
    gaps_.clear();
    end_ = 0;
  }

  /// Nothing begins at this time or after it.
  double end() const { return end_; }
  /// When something may begin, and how long nothing would have happened just before.
  struct Opening {
    double start = 0, idle = 0;
  };
  /// The earliest opening, no earlier than `ready`, for something that takes so long.
  Opening opening(double ready, double seconds) const;
  double earliest(double ready, double seconds) const { return opening(ready, seconds).start; }
  void occupy(double start, double seconds);

 private:
  struct Gap {
    double begin = 0, end = 0;
  };
  std::size_t gap_at(double start) const;
  bool is_worth_keeping(const Gap& gap) const { return gap.begin < gap.end && gap.end - gap.begin >= shortest_; }

  double shortest_;
  std::vector<Gap> gaps_;  // ascending; only the latest few hundred
  double end_ = 0;
};

}  // namespace hone
