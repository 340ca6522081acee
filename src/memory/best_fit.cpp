#include "memory/best_fit.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace hone {
namespace {

/// What a buffer is sorted by, the smallest first.
using SortKey = std::tuple<double, double, double, std::uint32_t>;

SortKey sort_key(MemoryOrder order, const MemoryProblem& problem, const Sections& sections, std::uint32_t i) {
  const MemoryBuffer& buffer = problem.buffers[i];
  const double lifetime = static_cast<double>(buffer.upper) - static_cast<double>(buffer.lower);
  const double size = static_cast<double>(buffer.size), area = lifetime * size;
  const auto peak = [&] {
    const SectionSpan span = sections.span_of[i];
    return static_cast<double>(
        *std::max_element(sections.live.begin() + span.first, sections.live.begin() + span.last));
  };
  switch (order) {
    case MemoryOrder::size: return {-size, -lifetime, 0, i};
    case MemoryOrder::area: return {-area, -size, 0, i};
    case MemoryOrder::lifetime: return {-lifetime, -size, 0, i};
    case MemoryOrder::start: return {static_cast<double>(buffer.lower), -size, -lifetime, i};
    case MemoryOrder::peak_lifetime: return {-peak(), -lifetime, -area, i};
    case MemoryOrder::peak_area: return {-peak(), -area, -lifetime, i};
  }
  return {};
}

struct Laid {
  std::int64_t offset = 0;
  std::uint32_t buffer = 0;
};

std::int64_t aligned(std::int64_t offset, std::int64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

/// Where a buffer goes among those already laid out, which are sorted by offset.
std::int64_t offset_in_gap(const MemoryProblem& problem, const std::vector<Laid>& laid, const MemoryBuffer& buffer,
                           GapChoice choice) {
  std::int64_t floor = 0, tightest = MemoryProblem::kUnlimited, chosen = -1;
  for (const Laid& each : laid) {
    const MemoryBuffer& other = problem.buffers[each.buffer];
    if (other.lower >= buffer.upper || buffer.lower >= other.upper) continue;
    const std::int64_t offset = aligned(floor, buffer.alignment);
    const std::int64_t spare = each.offset - offset - buffer.size;
    if (spare >= 0 && choice == GapChoice::lowest) return offset;
    if (spare >= 0 && spare < tightest) {
      tightest = spare;
      chosen = offset;
    }
    floor = std::max(floor, each.offset + other.size);
  }
  return chosen >= 0 ? chosen : aligned(floor, buffer.alignment);
}

}  // namespace

std::vector<std::uint32_t> sorted_by(MemoryOrder order, const MemoryProblem& problem, const Sections& sections,
                                     std::span<const std::uint32_t> buffers) {
  std::vector<SortKey> keys;
  for (const std::uint32_t i : buffers) keys.push_back(sort_key(order, problem, sections, i));
  std::ranges::sort(keys);
  std::vector<std::uint32_t> sorted;
  for (const SortKey& key : keys) sorted.push_back(std::get<3>(key));
  return sorted;
}

MemoryPlan fit_in_order(const MemoryProblem& problem, std::span<const std::uint32_t> order, GapChoice choice) {
  MemoryPlan plan{.offset_of = std::vector<std::int64_t>(problem.buffers.size())};
  std::vector<Laid> laid;
  for (const std::uint32_t i : order) {
    const MemoryBuffer& buffer = problem.buffers[i];
    if (buffer.size == 0) continue;
    const std::int64_t offset = offset_in_gap(problem, laid, buffer, choice);
    plan.offset_of[i] = offset;
    laid.insert(std::ranges::upper_bound(laid, offset, {}, &Laid::offset), {offset, i});
  }
  plan.height = height_of(problem, plan.offset_of);
  return plan;
}

MemoryPlan best_fit(const MemoryProblem& problem, const Sections& sections) {
  std::vector<std::uint32_t> all(problem.buffers.size());
  std::iota(all.begin(), all.end(), 0U);
  const std::int64_t bound = live_bytes_bound(problem);
  MemoryPlan best{.height = MemoryProblem::kUnlimited};
  for (const MemoryOrder order : kMemoryOrders) {
    const std::vector<std::uint32_t> sorted = sorted_by(order, problem, sections, all);
    for (const GapChoice choice : {GapChoice::lowest, GapChoice::tightest}) {
      MemoryPlan plan = fit_in_order(problem, sorted, choice);
      if (plan.height < best.height) best = std::move(plan);
      if (best.height == bound) return best;
    }
  }
  return best;
}

}  // namespace hone
