#pragma once

#include "bench/random_problem.h"
#include "plan/problem/problem.h"

namespace hone {

/// For tests of policies: 40 operations on a machine of some kind, to be planned for least memory.
inline Problem drawn_problem(std::uint64_t seed) {
  Rng rng(seed);
  Workload workload = random_workload(rng, 40);
  return {.workload = std::move(workload), .machine = random_machine(rng), .objective = Objective::peak_bytes};
}

}  // namespace hone
