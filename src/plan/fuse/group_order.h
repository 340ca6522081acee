#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hone {

/// A list of numbered things of which two can be compared by their place at once. Places are labels with gaps; what
/// moves gets labels from the gap it moves to, and when a gap is full all are labelled anew.
class GroupOrder {
 public:
  /// In the given order.
  void reset(std::span<const std::uint32_t> order);

  bool is_before(std::uint32_t one, std::uint32_t other) const { return label_[one] < label_[other]; }
  void remove(std::uint32_t item) {
    next_[previous_[item]] = next_[item];
    previous_[next_[item]] = previous_[item];
  }
  /// Moves items, in this order, right behind another.
  void move_behind(std::uint32_t place, std::span<const std::uint32_t> items);
  /// Moves items, in this order, right before another.
  void move_before(std::uint32_t place, std::span<const std::uint32_t> items);

 private:
  void insert_behind(std::uint32_t place, std::span<const std::uint32_t> items);
  void label_anew();

  std::vector<std::uint64_t> label_;            // by item; the last two are the ends of the list
  std::vector<std::uint32_t> next_, previous_;  // likewise
};

}  // namespace hone
