#pragma once

#include <chrono>
#include <limits>

#include "base/interrupt.h"

namespace hone {

/// When to end: at a moment, and on Ctrl-C in any case. What takes long asks it again and again, which costs a look at
/// the clock.
class Deadline {
 public:
  /// Ctrl-C alone.
  Deadline() = default;
  /// So many seconds from now.
  explicit Deadline(double seconds) {
    constexpr double kForever = 1e9;  // beyond which the clock could overflow
    if (seconds < kForever) at_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
  }

  bool is_over() const { return interrupted() || (is_timed() && Clock::now() >= at_); }
  /// Endless where only Ctrl-C ends it.
  double seconds_left() const {
    return is_timed() ? Seconds(at_ - Clock::now()).count() : std::numeric_limits<double>::infinity();
  }
  /// This one or so many seconds from now, whichever comes first.
  Deadline or_in(double seconds) const {
    const Deadline other(seconds);
    return other.at_ < at_ ? other : *this;
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;
  bool is_timed() const { return at_ != Clock::time_point::max(); }

  Clock::time_point at_ = Clock::time_point::max();
};

}  // namespace hone
