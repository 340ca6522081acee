#include "memory/pack_search.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace hone {

PackSearch::PackSearch(const MemoryProblem& problem, const Sections& sections, std::span<const std::uint32_t> order)
    : above_(sections.live.size()), reach_(sections.live.size()) {
  for (const std::uint32_t buffer : order)
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

PackSearch::Outcome PackSearch::run(std::int64_t capacity, const SearchLimit& limit) {
  capacity_ = capacity;
  limit_ = limit;
  nodes_ = 0;
  stopped_ = false;
  trail_.clear();
  placed_.clear();
  offset_.assign(items_.size(), kOpen);
  failures_.assign(items_.size(), 0);
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
  if (nodes_ % kNodesBetweenLooks == 0 && std::chrono::steady_clock::now() >= limit_.deadline) stopped_ = true;
  return stopped_;
}

/// Places buffers that may fall apart in time; the smallest part first, since it is the quickest to fail.
bool PackSearch::place_parts(const Positions& open) {
  std::vector<Positions> parts = split(open);
  std::ranges::sort(parts, {}, &Positions::size);
  return std::ranges::all_of(parts, [this](const Positions& part) { return place_all(part); });
}

bool PackSearch::place_all(const Positions& open) {
  if (stop() || !fits(open)) return false;
  const std::size_t mark = trail_.size(), placed = placed_.size();
  Positions others;
  for (const std::uint32_t chosen : candidates(open)) {
    others.clear();
    std::ranges::copy_if(open, std::back_inserter(others), [=](std::uint32_t i) { return i != chosen; });
    if (place(chosen, others) && place_parts(others)) return true;
    if (stopped_) return false;
    undo(mark);
    for (; placed_.size() > placed; placed_.pop_back()) offset_[placed_.back()] = kOpen;
  }
  return false;
}

/// Whether, in every section and from every height up, the buffers that start no lower fit beneath the capacity.
bool PackSearch::fits(const Positions& open) {
  by_low_ = open;
  std::ranges::sort(by_low_, std::greater(), [this](std::uint32_t i) { return items_[i].low; });
  for (const std::uint32_t i : open) std::fill(&above_[items_[i].span.first], &above_[items_[i].span.last - 1] + 1, 0);
  for (const std::uint32_t i : by_low_) {
    const Item& item = items_[i];
    std::int64_t most = 0;
    for (std::uint32_t section = item.span.first; section < item.span.last; ++section)
      most = std::max(most, above_[section] += item.size);
    if (item.low + most > capacity_) {
      ++failures_[i];
      return false;
    }
  }
  return true;
}

/// The buffers that may come next, lowest first.
PackSearch::Positions PackSearch::candidates(const Positions& open) const {
  std::int64_t ceiling = capacity_;
  for (const std::uint32_t i : open) ceiling = std::min(ceiling, items_[i].rest + items_[i].size);
  Positions next;
  for (const std::uint32_t i : open) {
    const Item& item = items_[i];
    if (item.low != item.rest || item.low >= ceiling) continue;
    if (item.twin != kNone && offset_[item.twin] == kOpen) continue;
    next.push_back(i);
  }
  std::ranges::sort(next, {}, [this](std::uint32_t i) { return std::pair(items_[i].low, i); });
  return next;
}

/// Places a buffer where it rests and draws the conclusions for the others; false when there is no way on.
bool PackSearch::place(std::uint32_t chosen, const Positions& others) {
  const Item& item = items_[chosen];
  offset_[chosen] = item.low;
  placed_.push_back(chosen);
  for (const std::uint32_t i : others) {
    const Item& other = items_[i];
    if (!other.span.overlaps(item.span)) continue;
    const std::int64_t rest = std::max(other.rest, other.align(item.low + item.size));
    raise(i, rest, std::max(other.low, rest));
  }
  return lift_passed_over(chosen, others);
}

/// A buffer that could have come before the chosen one and did not must rest on one that comes later, since it does not
/// overlap the chosen one.
bool PackSearch::lift_passed_over(std::uint32_t chosen, const Positions& others) {
  const std::int64_t floor = items_[chosen].low;
  const auto passed_over = [&](std::uint32_t i) { return std::pair(items_[i].low, i) < std::pair(floor, chosen); };
  if (std::ranges::none_of(others, passed_over)) return true;
  tops_.clear();
  for (const std::uint32_t i : others) tops_.push_back({std::max(items_[i].low, floor) + items_[i].size, i});
  std::ranges::sort(tops_, {}, [](const Top& top) { return std::pair(top.height, top.position); });
  for (const std::uint32_t i : others) {
    if (!passed_over(i)) continue;
    const auto support = std::ranges::find_if(
        tops_, [&](const Top& top) { return top.position != i && items_[top.position].span.overlaps(items_[i].span); });
    if (support == tops_.end()) return false;
    raise(i, items_[i].rest, items_[i].align(support->height));
  }
  return true;
}

void PackSearch::raise(std::uint32_t position, std::int64_t rest, std::int64_t low) {
  Item& item = items_[position];
  if (item.rest == rest && item.low == low) return;
  trail_.push_back({position, item.rest, item.low});
  item.rest = rest;
  item.low = low;
}

void PackSearch::undo(std::size_t mark) {
  for (; trail_.size() > mark; trail_.pop_back()) {
    Item& item = items_[trail_.back().position];
    item.rest = trail_.back().rest;
    item.low = trail_.back().low;
  }
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
