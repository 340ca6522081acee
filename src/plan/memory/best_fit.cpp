#include "plan/memory/best_fit.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

#include "plan/memory/time_sweep.h"

namespace hone {
namespace {

/// With more buffers than this an order takes a while, and one that comes within a thousandth of the bound will do.
constexpr std::size_t kManyBuffers = 4096;
constexpr std::int64_t kSpareShare = 1000;
constexpr double kMostOverlaps = 5e7;  // pairs of buffers that all orders together may look at then

/// Orders and choices of gaps, the more promising first.
constexpr std::pair<MemoryOrder, GapChoice> kFits[] = {{MemoryOrder::size, GapChoice::lowest},
                                                       {MemoryOrder::peak_area, GapChoice::tightest},
                                                       {MemoryOrder::peak_lifetime, GapChoice::tightest},
                                                       {MemoryOrder::area, GapChoice::lowest},
                                                       {MemoryOrder::lifetime, GapChoice::lowest},
                                                       {MemoryOrder::start, GapChoice::tightest},
                                                       {MemoryOrder::peak_area, GapChoice::lowest},
                                                       {MemoryOrder::peak_lifetime, GapChoice::lowest},
                                                       {MemoryOrder::size, GapChoice::tightest},
                                                       {MemoryOrder::area, GapChoice::tightest},
                                                       {MemoryOrder::lifetime, GapChoice::tightest},
                                                       {MemoryOrder::start, GapChoice::lowest}};

/// Pairs of buffers that live at the same time.
double count_overlaps(const Sections& sections) {
  std::vector<double> begun(sections.live.size() + 1), ended(sections.live.size() + 1);
  for (const SectionSpan& span : sections.span_of) {
    ++begun[span.first];
    ++ended[span.last];
  }
  double alive = 0, pairs = 0;
  for (std::size_t i = 0; i < begun.size(); ++i) {
    alive -= ended[i];
    pairs += begun[i] * (alive + (begun[i] - 1) / 2);
    alive += begun[i];
  }
  return pairs;
}

/// The largest of any run of values, from the largest of all runs of a power of two.
class RangeMaximum {
 public:
  explicit RangeMaximum(const std::vector<std::int64_t>& values) : levels_{values} {
    for (std::size_t width = 1; 2 * width <= values.size(); width *= 2) {
      const std::vector<std::int64_t>& below = levels_.back();
      std::vector<std::int64_t> level(below.size() - width);
      for (std::size_t i = 0; i < level.size(); ++i) level[i] = std::max(below[i], below[i + width]);
      levels_.push_back(std::move(level));
    }
  }

  std::int64_t operator()(const SectionSpan& span) const {
    const auto power = static_cast<std::size_t>(std::bit_width(span.last - span.first) - 1);
    return std::max(levels_[power][span.first], levels_[power][span.last - (std::size_t{1} << power)]);
  }

 private:
  std::vector<std::vector<std::int64_t>> levels_;
};

/// What a buffer is sorted by, the smallest first.
using SortKey = std::tuple<double, double, double, std::uint32_t>;

SortKey sort_key(MemoryOrder order, const MemoryBuffer& buffer, double peak, std::uint32_t i) {
  const double lifetime = static_cast<double>(buffer.upper) - static_cast<double>(buffer.lower);
  const double size = static_cast<double>(buffer.size), area = lifetime * size;
  switch (order) {
    case MemoryOrder::size: return {-size, -lifetime, 0, i};
    case MemoryOrder::area: return {-area, -size, 0, i};
    case MemoryOrder::lifetime: return {-lifetime, -size, 0, i};
    case MemoryOrder::start: return {static_cast<double>(buffer.lower), -size, -lifetime, i};
    case MemoryOrder::peak_lifetime: return {-peak, -lifetime, -area, i};
    case MemoryOrder::peak_area: return {-peak, -area, -lifetime, i};
  }
  return {};
}

std::int64_t aligned(std::int64_t offset, std::int64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

/// A stretch of memory that is taken.
struct Taken {
  std::int64_t begin = 0, end = 0;
};

/// The buffers laid out so far, found by the sections they live in.
///
/// All buffers stand in the order of their first section at the leaves of a tree; a node knows the last section in
/// which anything laid out beneath it lives. Finding what overlaps a span takes time for that alone.
class LaidOut {
 public:
  LaidOut(const MemoryProblem& problem, const Sections& sections)
      : problem_(problem), sections_(sections), by_first_(problem.buffers.size()), leaf_of_(problem.buffers.size()) {
    std::iota(by_first_.begin(), by_first_.end(), 0U);
    std::ranges::sort(by_first_, {}, [&](std::uint32_t i) { return std::pair(sections.span_of[i].first, i); });
    for (std::uint32_t leaf = 0; leaf < by_first_.size(); ++leaf) leaf_of_[by_first_[leaf]] = leaf;
    width_ = std::bit_ceil(std::max<std::size_t>(by_first_.size(), 1));
    reach_.resize(2 * width_);
    offset_of_.resize(by_first_.size());
  }

  void add(std::uint32_t buffer, std::int64_t offset) {
    offset_of_[buffer] = offset;
    for (std::size_t node = width_ + leaf_of_[buffer]; node > 0; node /= 2)
      reach_[node] = std::max(reach_[node], sections_.span_of[buffer].last);
  }

  /// What is taken while a buffer lives, lowest first; valid until the next call.
  std::span<const Taken> taken_beside(std::uint32_t buffer) {
    taken_.clear();
    collect(1, 0, width_, sections_.span_of[buffer]);
    std::ranges::sort(taken_, {}, &Taken::begin);
    return taken_;
  }

 private:
  void collect(std::size_t node, std::size_t begin, std::size_t end, const SectionSpan& span) {
    if (reach_[node] <= span.first || begin >= by_first_.size()) return;
    if (sections_.span_of[by_first_[begin]].first >= span.last) return;
    if (end - begin > 1) {
      const std::size_t middle = begin + (end - begin) / 2;
      collect(2 * node, begin, middle, span);
      collect(2 * node + 1, middle, end, span);
      return;
    }
    const std::uint32_t buffer = by_first_[begin];
    taken_.push_back({offset_of_[buffer], offset_of_[buffer] + problem_.buffers[buffer].size});
  }

  const MemoryProblem& problem_;
  const Sections& sections_;
  std::vector<std::uint32_t> by_first_, leaf_of_;
  std::size_t width_ = 0;
  std::vector<std::uint32_t> reach_;  // by node: one past the last section; 0 when nothing is laid out
  std::vector<std::int64_t> offset_of_;
  std::vector<Taken> taken_;
};

/// Where a buffer goes beside what is taken.
std::int64_t offset_in_gap(std::span<const Taken> taken, const MemoryBuffer& buffer, GapChoice choice) {
  std::int64_t floor = 0, tightest = MemoryProblem::kUnlimited, chosen = -1;
  for (const Taken& each : taken) {
    const std::int64_t offset = aligned(floor, buffer.alignment);
    const std::int64_t spare = each.begin - offset - buffer.size;
    if (spare >= 0 && choice == GapChoice::lowest) return offset;
    if (spare >= 0 && spare < tightest) {
      tightest = spare;
      chosen = offset;
    }
    floor = std::max(floor, each.end);
  }
  return chosen >= 0 ? chosen : aligned(floor, buffer.alignment);
}

}  // namespace

std::vector<std::uint32_t> sorted_by(MemoryOrder order, const MemoryProblem& problem, const Sections& sections,
                                     std::span<const std::uint32_t> buffers) {
  const RangeMaximum most_live(sections.live);
  std::vector<SortKey> keys;
  for (const std::uint32_t i : buffers)
    keys.push_back(sort_key(order, problem.buffers[i], static_cast<double>(most_live(sections.span_of[i])), i));
  std::ranges::sort(keys);
  std::vector<std::uint32_t> sorted;
  for (const SortKey& key : keys) sorted.push_back(std::get<3>(key));
  return sorted;
}

MemoryPlan fit_in_order(const MemoryProblem& problem, const Sections& sections, std::span<const std::uint32_t> order,
                        GapChoice choice) {
  MemoryPlan plan{.offset_of = std::vector<std::int64_t>(problem.buffers.size())};
  LaidOut laid(problem, sections);
  for (const std::uint32_t i : order) {
    const MemoryBuffer& buffer = problem.buffers[i];
    if (buffer.size == 0) continue;
    plan.offset_of[i] = offset_in_gap(laid.taken_beside(i), buffer, choice);
    laid.add(i, plan.offset_of[i]);
  }
  plan.height = height_of(problem, plan.offset_of);
  return plan;
}

MemoryPlan best_fit(const MemoryProblem& problem, const Sections& sections, const Deadline& deadline) {
  const bool is_large = problem.buffers.size() > kManyBuffers;
  const std::int64_t bound = live_bytes_bound(problem);
  const std::int64_t enough = bound + (is_large ? bound / kSpareShare : 0);
  std::vector<std::uint32_t> all(problem.buffers.size());
  std::iota(all.begin(), all.end(), 0U);
  MemoryPlan best{.height = MemoryProblem::kUnlimited};
  if (is_large) best = fit_in_time(problem, sections);
  const double overlaps = is_large ? count_overlaps(sections) : 0;
  double steps = 0;
  for (const auto& [order, choice] : kFits) {
    steps += overlaps;
    const bool is_over = steps > kMostOverlaps || deadline.is_over();
    if (best.height <= enough || (is_over && best.height < MemoryProblem::kUnlimited)) break;
    MemoryPlan plan = fit_in_order(problem, sections, sorted_by(order, problem, sections, all), choice);
    if (plan.height < best.height) best = std::move(plan);
  }
  return best;
}

}  // namespace hone
