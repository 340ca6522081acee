#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "memory/sections.h"

namespace hone {

/// When a search must stop.
struct SearchLimit {
  std::uint64_t nodes = 0;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

/// Exact search for offsets within a capacity, for buffers that are all alive in one connected stretch of time.
///
/// Of all plans that fit, one has the least sum of offsets. In it every buffer rests on the floor or on another one,
/// and none could be moved into a hole beneath. The search builds that plan alone, in the order of its offsets and,
/// where these are equal, in the order in which the buffers are given: at each node it decides which buffer comes next.
/// What it knows of a buffer not placed yet:
///   rest: the least offset above all placed buffers that overlap it in time; where it would come to lie now;
///   low: the least offset it can have, since all offsets to come are at least the last one, and a buffer that was
///        passed over must rest on one that comes later.
/// A node fails when the buffers of some section do not fit between their lows and the capacity, or when a buffer to be
/// placed would leave a hole in which another could lie. When what is left falls apart in time, the parts are searched
/// one by one.
class PackSearch {
 public:
  enum class Outcome { found, impossible, stopped };

  /// `order` lists the buffers to place; the earlier of two is tried first.
  PackSearch(const MemoryProblem& problem, const Sections& sections, std::span<const std::uint32_t> order);

  Outcome run(std::int64_t capacity, const SearchLimit& limit);

  /// By position in `order`, after `found`.
  const std::vector<std::int64_t>& offsets() const { return offset_; }
  std::uint64_t nodes() const { return nodes_; }
  /// By position in `order`: how often a node failed for want of room above this buffer's lowest offset.
  const std::vector<std::uint64_t>& failures() const { return failures_; }

 private:
  using Positions = std::vector<std::uint32_t>;

  struct Item {
    SectionSpan span;
    std::int64_t size = 0, alignment = 1;
    std::int64_t rest = 0, low = 0;
    std::uint32_t twin = kNone;  // the last one before that is alike: placed before this one

    std::int64_t align(std::int64_t offset) const {
      return alignment == 1 ? offset : (offset + alignment - 1) / alignment * alignment;
    }
  };
  struct Change {
    std::uint32_t position = 0;
    std::int64_t rest = 0, low = 0;
  };
  struct Top {
    std::int64_t height = 0;
    std::uint32_t position = 0;
  };

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::int64_t kOpen = -1;  // offset of a buffer not placed

  void find_twins();
  bool stop();
  bool place_all(const Positions& open);
  bool place_parts(const Positions& open);
  bool fits(const Positions& open);
  Positions candidates(const Positions& open) const;
  bool place(std::uint32_t chosen, const Positions& open);
  bool lift_passed_over(std::uint32_t chosen, const Positions& open);
  void raise(std::uint32_t position, std::int64_t rest, std::int64_t low);
  void undo(std::size_t mark);
  std::vector<Positions> split(const Positions& open);

  std::vector<Item> items_;
  std::vector<std::int64_t> offset_;
  std::vector<std::uint64_t> failures_;
  std::vector<Change> trail_;
  std::vector<std::uint32_t> placed_;
  std::vector<std::int64_t> above_;   // by section, while looking whether the open buffers fit
  std::vector<std::uint32_t> reach_;  // by section, while splitting
  Positions by_low_;
  std::vector<Top> tops_;
  std::int64_t capacity_ = 0;
  SearchLimit limit_;
  std::uint64_t nodes_ = 0;
  bool stopped_ = false;
};

}  // namespace hone
