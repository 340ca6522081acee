#pragma once

#include <fmt/format.h>

#include "base/random.h"
#include "plan/machine/machine_file.h"
#include "plan/problem/problem.h"

namespace hone {

/// A random graph with weights and results, whose operations read up to so many others.
inline Workload random_memory_graph(Rng& rng, std::size_t operations, std::size_t most_inputs) {
  WorkloadBuilder builder("graph");
  std::vector<BufferId> made;
  for (std::size_t i = 0; i < operations; ++i) {
    std::vector<BufferId> inputs;
    if (rng.below(4) == 0)
      inputs.push_back(builder.add_buffer({.name = fmt::format("weight{}", i),
                                           .bytes = static_cast<double>(1 + rng.below(100)),
                                           .kind = Buffer::Kind::weight}));
    for (std::size_t n = rng.below(most_inputs + 1); n > 0 && !made.empty(); --n)
      inputs.push_back(made[rng.below(made.size())]);
    made.push_back(builder.add_buffer({.name = fmt::format("buffer{}", i),
                                       .bytes = static_cast<double>(1 + rng.below(100)),
                                       .is_output = rng.below(8) == 0}));
    builder.add_operation({.name = fmt::format("work{}", i), .bytes = 1e9 * static_cast<double>(1 + rng.below(9))},
                          inputs, std::span(&made.back(), 1));
  }
  return std::move(builder).build();
}

inline Problem random_memory_problem(std::uint64_t seed, std::size_t operations, const char* machine) {
  Rng rng(seed);
  return {.workload = random_memory_graph(rng, operations, 3),
          .machine = load_machine(machine),
          .objective = Objective::peak_bytes};
}

}  // namespace hone
