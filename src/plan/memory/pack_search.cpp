#include "plan/memory/pack_search.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

namespace hone {

PackSearch::PackSearch(const MemoryProblem& problem, const Sections& sections, std::span<const std::uint32_t> buffers)
    : failures_(sections.live.size()),
      floor_(sections.live.size()),
      left_(sections.live.size()),
      coverers_(sections.live.size()),
      reach_(sections.live.size()) {
  for (const std::uint32_t buffer : buffers)
    items_.push_back({.span = sections.span_of[buffer],
                      .size = problem.buffers[buffer].size,
                      .alignment = problem.buffers[buffer].alignment});
  find_twins();
}

void PackSearch::find_twins() {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::int64_t, std::int64_t>, std::uint32_t> last;
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    Item& item = items_[i];
    const auto [found, added] = last.try_emplace({item.span.first, item.span.last, item.size, item.alignment}, i);
    if (!added) item.twin = std::exchange(found->second, i);
  }
}

PackSearch::Outcome PackSearch::run(std::int64_t capacity, std::span<const double> preference,
                                    const SearchLimit& limit) {
  constexpr double kKept = 0.8;  // of earlier failures
  for (double& failures : failures_) failures *= kKept;
  capacity_ = capacity;
  preference_ = preference;
  limit_ = limit;
  nodes_ = 0;
  stopped_ = false;
  trail_.clear();
  placed_.clear();
  offset_.assign(items_.size(), kOpen);
  for (Item& item : items_) item.rest = item.low = 0;
  Positions all(items_.size());
  std::iota(all.begin(), all.end(), 0U);
  if (place_parts(all)) return Outcome::found;
  return stopped_ ? Outcome::stopped : Outcome::impossible;
}

bool PackSearch::stop() {
  constexpr std::uint64_t kNodesBetweenLooks = 64;
  ++nodes_;
  if (nodes_ > limit_.nodes) stopped_ = true;
  if (nodes_ % kNodesBetweenLooks == 0 && limit_.deadline.is_over()) stopped_ = true;
  return stopped_;
}

/// Places buffers that may fall apart in time; the smallest part first, since it is the quickest to fail.
bool PackSearch::place_parts(const Positions& open) {
  std::vector<Positions> parts = split(open);
  std::ranges::sort(parts, {}, &Positions::size);
  return std::ranges::all_of(parts, [this](const Positions& part) { return place_all(part); });
}

bool PackSearch::place_all(const Positions& open) {
  Positions others;
  while (!stop() && settle(open)) {
    const std::uint32_t chosen = choose(open);
    const std::size_t changes = trail_.size(), placed = placed_.size();
    others.clear();
    std::ranges::copy_if(open, std::back_inserter(others), [=](std::uint32_t i) { return i != chosen; });
    place(chosen, others);
    if (place_parts(others)) return true;
    if (stopped_) return false;
    undo(changes, placed);
    Item& item = items_[chosen];
    raise(chosen, item.rest, item.align(item.rest + 1));
  }
  return false;
}

/// Places a buffer where it rests; all others that overlap it come to lie above.
void PackSearch::place(std::uint32_t chosen, const Positions& others) {
  const Item& item = items_[chosen];
  offset_[chosen] = item.low;
  placed_.push_back(chosen);
  for (const std::uint32_t i : others) {
    const Item& other = items_[i];
    if (!other.span.overlaps(item.span)) continue;
    const std::int64_t rest = std::max(other.rest, other.align(item.top()));
    raise(i, rest, std::max(other.low, rest));
  }
}

/// Draws all conclusions for the open buffers; false when there is no way on.
bool PackSearch::settle(const Positions& open) {
  for (bool changed = true; changed;) {
    const std::size_t changes = trail_.size();
    if (!raise_to_floors(open) || !support_passed_over(open)) return false;
    changed = trail_.size() > changes;
  }
  return all_blocked(open) && fits(open);
}

bool PackSearch::raise_to_floors(const Positions& open) {
  for (const std::uint32_t i : open)
    std::fill(&floor_[items_[i].span.first], &floor_[items_[i].span.last - 1] + 1, capacity_);
  for (const std::uint32_t i : open) {
    const Item& item = items_[i];
    for (std::uint32_t section = item.span.first; section < item.span.last; ++section)
      floor_[section] = std::min(floor_[section], item.low);
  }
  for (const std::uint32_t i : open) {
    const Item& item = items_[i];
    std::int64_t low = item.low;
    for (std::uint32_t section = item.span.first; section < item.span.last; ++section)
      low = std::max(low, floor_[section]);
    if (item.twin != kNone && offset_[item.twin] == kOpen) low = std::max(low, items_[item.twin].top());
    raise(i, item.rest, item.align(low));
    if (item.top() > capacity_) return fail_at(item);
  }
  return true;
}

/// Each buffer passed over rests on the lowest it can, be that passed over itself. As what rests on another is higher,
/// taking them lowest first finds the least offset of each.
bool PackSearch::support_passed_over(const Positions& open) {
  unsupported_.clear();
  tops_.clear();
  for (const std::uint32_t i : open) {
    if (items_[i].passed_over()) unsupported_.push_back(i);
    else tops_.emplace_back(items_[i].top(), i);
  }
  std::ranges::make_heap(tops_, std::greater());
  while (!unsupported_.empty() && !tops_.empty()) {
    std::ranges::pop_heap(tops_, std::greater());
    const Top support = tops_.back();
    tops_.pop_back();
    if (!rest_on(support)) return false;
  }
  return unsupported_.empty() || fail_at(items_[unsupported_.front()]);
}

/// Lets what was passed over and overlaps a buffer rest on it at the least.
bool PackSearch::rest_on(Top support) {
  const auto& [height, below] = support;
  std::size_t kept = 0;
  for (const std::uint32_t i : unsupported_) {
    const Item& item = items_[i];
    if (!item.span.overlaps(items_[below].span)) {
      unsupported_[kept++] = i;
      continue;
    }
    raise(i, item.rest, std::max(item.low, item.align(height)));
    if (item.top() > capacity_) return fail_at(item);
    tops_.emplace_back(item.top(), i);
    std::ranges::push_heap(tops_, std::greater());
  }
  unsupported_.resize(kept);
  return true;
}

/// Whether for each buffer passed over there is one that can lie in the way; else it could be moved down.
bool PackSearch::all_blocked(const Positions& open) {
  for (const std::uint32_t i : open) {
    const Item& item = items_[i];
    if (!item.passed_over()) continue;
    const auto blocks = [&](std::uint32_t other) {
      return other != i && items_[other].low < item.rest + item.size && items_[other].span.overlaps(item.span);
    };
    if (std::ranges::none_of(open, blocks)) return fail_at(item);
  }
  return true;
}

/// Whether, in every section and from every height up, the buffers that start no lower fit beneath the capacity.
bool PackSearch::fits(const Positions& open) {
  by_low_ = open;
  std::ranges::sort(by_low_, std::greater(), [this](std::uint32_t i) { return std::pair(items_[i].low, i); });
  for (const std::uint32_t i : open) std::fill(&left_[items_[i].span.first], &left_[items_[i].span.last - 1] + 1, 0);
  for (const std::uint32_t i : by_low_) {
    const Item& item = items_[i];
    for (std::uint32_t section = item.span.first; section < item.span.last; ++section) {
      left_[section] += item.size;
      if (item.low + left_[section] <= capacity_) continue;
      ++failures_[section];
      return false;
    }
  }
  return true;
}

/// The buffer to decide on next. All that can lie at the lowest floor of all rest there: what does not rests on one
/// that is higher still.
std::uint32_t PackSearch::choose(const Positions& open) {
  std::int64_t lowest = capacity_;
  for (const std::uint32_t i : open) lowest = std::min(lowest, items_[i].low);
  by_low_.clear();
  std::ranges::copy_if(open, std::back_inserter(by_low_), [&](std::uint32_t i) { return items_[i].low == lowest; });
  const std::uint32_t section = hardest_section(by_low_);
  std::uint32_t chosen = kNone;
  for (const std::uint32_t i : by_low_) {
    const SectionSpan span = items_[i].span;
    if (section < span.first || section >= span.last) continue;
    if (chosen == kNone || preference_[i] > preference_[chosen]) chosen = i;
  }
  return chosen;
}

/// Of the sections that the buffers could cover, that with the fewest ways to go on, where nodes failed most.
std::uint32_t PackSearch::hardest_section(const Positions& lowest) {
  constexpr double kHole = 0.5;  // leaving a section empty counts so much beside covering it
  for (const std::uint32_t i : lowest)
    std::fill(&coverers_[items_[i].span.first], &coverers_[items_[i].span.last - 1] + 1, 0U);
  for (const std::uint32_t i : lowest)
    for (std::uint32_t section = items_[i].span.first; section < items_[i].span.last; ++section) ++coverers_[section];
  std::pair fewest(std::numeric_limits<double>::infinity(), kNone);
  for (const std::uint32_t i : lowest) {
    const Item& item = items_[i];
    for (std::uint32_t section = item.span.first; section < item.span.last; ++section) {
      const double hole = item.low + left_[section] < capacity_ ? kHole : 0;
      fewest = std::min(fewest, std::pair((coverers_[section] + hole) / (1 + failures_[section]), section));
    }
  }
  return fewest.second;
}

/// A node failed because of one buffer: a failure, spread over its sections.
bool PackSearch::fail_at(const Item& item) {
  const double share = 1.0 / (item.span.last - item.span.first);
  for (std::uint32_t section = item.span.first; section < item.span.last; ++section) failures_[section] += share;
  return false;
}

void PackSearch::raise(std::uint32_t position, std::int64_t rest, std::int64_t low) {
  Item& item = items_[position];
  if (item.rest == rest && item.low == low) return;
  trail_.push_back({position, item.rest, item.low});
  item.rest = rest;
  item.low = low;
}

void PackSearch::undo(std::size_t changes, std::size_t placed) {
  for (; trail_.size() > changes; trail_.pop_back()) {
    Item& item = items_[trail_.back().position];
    item.rest = trail_.back().rest;
    item.low = trail_.back().low;
  }
  for (; placed_.size() > placed; placed_.pop_back()) offset_[placed_.back()] = kOpen;
}

/// The buffers in parts that share no section, each in the given order.
std::vector<PackSearch::Positions> PackSearch::split(const Positions& open) {
  if (open.empty()) return {};
  std::uint32_t begin = items_[open.front()].span.first, end = begin;
  for (const std::uint32_t i : open) {
    begin = std::min(begin, items_[i].span.first);
    end = std::max(end, items_[i].span.last);
  }
  std::fill(reach_.begin() + begin, reach_.begin() + end, 0U);
  for (const std::uint32_t i : open) {
    std::uint32_t& reach = reach_[items_[i].span.first];
    reach = std::max(reach, items_[i].span.last);
  }
  std::uint32_t part = 0, covered = reach_[begin];
  for (std::uint32_t section = begin; section < end; ++section) {
    const std::uint32_t reach =
        std::exchange(reach_[section], section < covered || reach_[section] == 0 ? part : part + 1);
    part = reach_[section];
    covered = std::max(covered, reach);
  }
  std::vector<Positions> parts(part + 1);
  for (const std::uint32_t i : open) parts[reach_[items_[i].span.first]].push_back(i);
  return parts;
}

}  // namespace hone
