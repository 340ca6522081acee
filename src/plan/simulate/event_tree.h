#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "base/scratch_vector.h"

namespace hone {

/// When each of a fixed number of things is due, and which of them is next: a tree of minima. Setting one walks the
/// path to the root, always as long and without a branch to guess wrong, which beats a heap on the few things (one a
/// stream and link) that are under way at a time.
class EventTree {
 public:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  explicit EventTree(std::size_t slots)
      : leaves_(std::bit_ceil(std::max<std::size_t>(slots, 2))), least_(2 * leaves_, kUnset) {}

  void clear() { std::ranges::fill(least_, kUnset); }

  /// The earliest time that is set, kNever when none is; whose it is, and what was said to happen then.
  double next() const { return std::bit_cast<double>(static_cast<std::uint64_t>(least_[1] >> 64)); }
  std::uint32_t next_slot() const { return static_cast<std::uint32_t>(least_[1] >> 32); }
  std::uint32_t next_event() const { return static_cast<std::uint32_t>(least_[1]); }

  /// `seconds` must not be negative.
  void set(std::uint32_t slot, double seconds, std::uint32_t event) {
    Node least = Node{std::bit_cast<std::uint64_t>(seconds)} << 64 | std::uint64_t{slot} << 32 | event;
    for (std::size_t node = leaves_ + slot; node > 1; node /= 2) {
      least_[node] = least;
      least = std::min(least, least_[node ^ 1]);
    }
    least_[1] = least;
  }
  void unset(std::uint32_t slot) { set(slot, kNever, 0); }

 private:
  /// Time, slot and event in one number: the bits of times that are not negative compare like the times.
  __extension__ using Node = unsigned __int128;
  static constexpr Node kUnset = Node{std::bit_cast<std::uint64_t>(kNever)} << 64;

  std::size_t leaves_;
  ScratchVector<Node> least_;  // the root is 1, the children of n are 2n and 2n + 1
};

}  // namespace hone
