#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/deadline.h"
#include "plan/memory/sections.h"

namespace hone {

/// When a search must stop.
struct SearchLimit {
  std::uint64_t nodes = 0;
  Deadline deadline;
};

/// Exact search for offsets within a capacity.
///
/// Of all plans that fit, one has the least sum of offsets. In it every buffer rests on the floor or on another one,
/// and none could be moved into a hole beneath. The search looks for that plan alone, from the bottom up. At every node
/// it asks of one buffer, of those that can come to lie lowest: does it lie where it would rest now? If not, it is
/// passed over, and rests on one that is still open. What the search knows of an open buffer:
///   rest: the least offset above all placed buffers that overlap it in time;
///   low: the least offset it can have; more than `rest` once it is passed over.
/// A low is raised to the least low of all open buffers in any of the buffer's sections (the floor of the section: of
/// what is beneath, nothing more can come), and that of a buffer passed over to the least top it can rest on. A node
/// fails when a buffer passed over finds none to rest on or none that keeps it from lying at `rest`, or when the
/// buffers of a section do not fit between their lows and the capacity. When what is left falls apart in time, the
/// parts are searched one by one.
///
/// Which buffer is asked of makes all the difference. Of the sections with the lowest floor it is that with the fewest
/// buffers that could cover it, divided by how often the section was where a node failed, and there the preferred one.
/// Failures are remembered from run to run, so that the next one begins where it is hard.
class PackSearch {
 public:
  enum class Outcome { found, impossible, stopped };

  /// Only `buffers` are placed.
  PackSearch(const MemoryProblem& problem, const Sections& sections, std::span<const std::uint32_t> buffers);

  /// `preference` is by position in `buffers`; of several that could come next, that with the greatest does.
  Outcome run(std::int64_t capacity, std::span<const double> preference, const SearchLimit& limit);

  /// By position in `buffers`, after `found`.
  const std::vector<std::int64_t>& offsets() const { return offset_; }
  /// Of the last run.
  std::uint64_t nodes() const { return nodes_; }

 private:
  using Positions = std::vector<std::uint32_t>;

  struct Item {
    SectionSpan span;
    std::int64_t size = 0, alignment = 1;
    std::int64_t rest = 0, low = 0;
    std::uint32_t twin = kNone;  // the last one before that is alike: lies beneath this one

    std::int64_t align(std::int64_t offset) const {
      return alignment == 1 ? offset : (offset + alignment - 1) / alignment * alignment;
    }
    std::int64_t top() const { return low + size; }
    bool passed_over() const { return rest < low; }
  };
  struct Change {
    std::uint32_t position = 0;
    std::int64_t rest = 0, low = 0;
  };
  using Top = std::pair<std::int64_t, std::uint32_t>;  // height, position

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::int64_t kOpen = -1;  // offset of a buffer not placed

  void find_twins();
  bool stop();
  bool place_parts(const Positions& open);
  bool place_all(const Positions& open);
  void place(std::uint32_t chosen, const Positions& open);
  bool settle(const Positions& open);
  bool raise_to_floors(const Positions& open);
  bool support_passed_over(const Positions& open);
  bool rest_on(Top support);
  bool all_blocked(const Positions& open);
  bool fits(const Positions& open);
  std::uint32_t choose(const Positions& open);
  std::uint32_t hardest_section(const Positions& lowest);
  bool fail_at(const Item& item);
  void raise(std::uint32_t position, std::int64_t rest, std::int64_t low);
  void undo(std::size_t changes, std::size_t placed);
  std::vector<Positions> split(const Positions& open);

  std::vector<Item> items_;
  std::span<const double> preference_;
  std::vector<std::int64_t> offset_;
  std::vector<Change> trail_;
  Positions placed_;
  std::int64_t capacity_ = 0;
  SearchLimit limit_;
  std::uint64_t nodes_ = 0;
  bool stopped_ = false;

  std::vector<double> failures_;         // by section; fade from run to run
  std::vector<std::int64_t> floor_;      // by section: no open buffer is lower
  std::vector<std::int64_t> left_;       // by section: bytes not placed yet
  std::vector<std::uint32_t> coverers_;  // by section: buffers that could come next
  std::vector<std::uint32_t> reach_;     // by section, while splitting
  std::vector<Top> tops_;                // of what can be rested on, a heap with the lowest first
  Positions unsupported_, by_low_;
};

}  // namespace hone
