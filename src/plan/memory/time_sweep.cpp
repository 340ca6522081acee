#include "plan/memory/time_sweep.h"

#include <functional>
#include <iterator>
#include <numeric>
#include <queue>
#include <set>

#include "plan/memory/best_fit.h"

namespace hone {
namespace {

/// The gaps between what is allocated, by place and by length. The last one has no end.
class Gaps {
 public:
  Gaps() { insert({0, MemoryProblem::kUnlimited}); }

  std::int64_t allocate(std::int64_t size, std::int64_t alignment) {
    for (auto found = by_length_.lower_bound({size, 0});; ++found) {
      const Gap gap{found->second, found->second + found->first};
      const std::int64_t offset = (gap.begin + alignment - 1) / alignment * alignment;
      if (gap.end - offset < size) continue;
      erase(gap);
      if (gap.begin < offset) insert({gap.begin, offset});
      if (offset + size < gap.end) insert({offset + size, gap.end});
      return offset;
    }
  }

  void release(std::int64_t offset, std::int64_t size) {
    Gap gap{offset, offset + size};
    auto next = by_place_.lower_bound({offset, 0});  // there is always the last gap
    if (next->first == gap.end) {
      gap.end = next->second;
      next = erase({next->first, next->second});
    }
    if (next != by_place_.begin() && std::prev(next)->second == gap.begin) {
      gap.begin = std::prev(next)->first;
      erase({gap.begin, std::prev(next)->second});
    }
    insert(gap);
  }

 private:
  struct Gap {
    std::int64_t begin = 0, end = 0;
  };
  using Pairs = std::set<std::pair<std::int64_t, std::int64_t>>;

  void insert(const Gap& gap) {
    by_place_.emplace(gap.begin, gap.end);
    by_length_.emplace(gap.end - gap.begin, gap.begin);
  }
  Pairs::iterator erase(const Gap& gap) {
    by_length_.erase({gap.end - gap.begin, gap.begin});
    return by_place_.erase(by_place_.find({gap.begin, gap.end}));
  }

  Pairs by_place_;   // begin, end
  Pairs by_length_;  // length, begin
};

}  // namespace

MemoryPlan fit_in_time(const MemoryProblem& problem, const Sections& sections) {
  std::vector<std::uint32_t> all(problem.buffers.size());
  std::iota(all.begin(), all.end(), 0U);
  MemoryPlan plan{.offset_of = std::vector<std::int64_t>(all.size())};
  using End = std::pair<std::uint32_t, std::uint32_t>;  // section, buffer
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  Gaps gaps;
  for (const std::uint32_t i : sorted_by(MemoryOrder::start, problem, sections, all)) {
    const MemoryBuffer& buffer = problem.buffers[i];
    if (buffer.size == 0) continue;
    for (; !ends.empty() && ends.top().first <= sections.span_of[i].first; ends.pop())
      gaps.release(plan.offset_of[ends.top().second], problem.buffers[ends.top().second].size);
    plan.offset_of[i] = gaps.allocate(buffer.size, buffer.alignment);
    ends.emplace(sections.span_of[i].last, i);
  }
  plan.height = height_of(problem, plan.offset_of);
  return plan;
}

}  // namespace hone
