#pragma once

#include <cstdint>

#include "plan/problem/workload.h"

namespace hone {

/// How REGAL (Paliwal et al., 2020) tells graphs that are worth learning from: a genetic search with a large budget is
/// faster by this factor than one with a small budget, or meets a memory limit that the other misses. REGAL's limits
/// are not known; here the limit is what the large budget reaches, and missing it by the same factor counts.
struct RoomTest {
  std::uint64_t small_evaluations = 100;
  std::uint64_t large_evaluations = 5000;
  double factor = 1.2;
};

/// Whether a graph leaves a search something to find on two devices with free transfers (machine regal-2). The same
/// graph always gets the same answer.
bool has_room(const Workload& workload, const RoomTest& test);

}  // namespace hone
