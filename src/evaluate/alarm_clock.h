#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace hone {

/// When each of a fixed number of things is due, and which of them is next: a tree of minima. Setting one walks the path
/// to the root, always as long and without a branch to guess wrong, which beats a heap on the few things (one a stream
/// and link) that are under way at a time.
class AlarmClock {
 public:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  explicit AlarmClock(std::size_t alarms)
      : leaves_(std::bit_ceil(std::max<std::size_t>(alarms, 2))), least_(2 * leaves_) {}

  void clear() { std::ranges::fill(least_, Node()); }

  /// The earliest time that is set, kNever when none is; whose it is, and what was said to happen then.
  double next() const { return std::bit_cast<double>(least_[1].time); }
  std::uint32_t next_alarm() const { return static_cast<std::uint32_t>(least_[1].what >> 32); }
  std::uint32_t next_event() const { return static_cast<std::uint32_t>(least_[1].what); }

  /// `seconds` must not be negative.
  void set(std::uint32_t alarm, double seconds, std::uint32_t event) {
    Node least{std::bit_cast<std::uint64_t>(seconds), std::uint64_t{alarm} << 32 | event};
    for (std::size_t node = leaves_ + alarm; node > 1; node /= 2) {
      least_[node] = least;
      const Node other = least_[node ^ 1];
      const std::uint64_t mask = -static_cast<std::uint64_t>(other.time < least.time);
      least.time ^= (least.time ^ other.time) & mask;
      least.what ^= (least.what ^ other.what) & mask;
    }
    least_[1] = least;
  }
  void unset(std::uint32_t alarm) { set(alarm, kNever, 0); }

 private:
  /// The bits of numbers that are not negative compare like the numbers, in a third of the time.
  struct Node {
    std::uint64_t time = std::bit_cast<std::uint64_t>(kNever);
    std::uint64_t what = 0;  // alarm, event
  };

  std::size_t leaves_;
  std::vector<Node> least_;  // the root is 1, the children of n are 2n and 2n + 1
};

}  // namespace hone
