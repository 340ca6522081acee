#pragma once

#include <cstdint>
#include <optional>

#include "base/search_base.h"
#include "plan/problem/memory_problem.h"

namespace hone {

/// How much a memory planner may try. The result depends on the nodes alone as long as the seconds are not used up.
struct MemoryBudget {
  double seconds = 30;
  std::uint64_t nodes = std::uint64_t{1} << 40;  // of exact search
};

/// What a memory planner found.
struct MemoryOutcome {
  MemoryPlan plan;          // the lowest found; may be higher than the capacity
  std::int64_t bound = 0;   // no plan is lower
  std::uint64_t nodes = 0;  // of exact search
  bool fits = false;        // within the capacity of the problem
  SearchEnd end = SearchEnd::nothing_left;

  bool optimal() const { return plan.height == bound; }
};

/// Offsets for all buffers: best fit in several orders, then exact search within the budget. With a capacity it stops
/// at the first plan that fits, or at the proof that there is none; without one it lowers the plan as far as it can.
/// Ctrl-C ends it with the best so far.
MemoryOutcome plan_memory(const MemoryProblem& problem, const MemoryBudget& budget);

}  // namespace hone
