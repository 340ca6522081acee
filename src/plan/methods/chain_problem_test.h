#pragma once

#include <fmt/format.h>

#include "plan/machine/machine_file.h"
#include "plan/problem/problem.h"

// For tests of schedules: work that can only run one after another.

namespace hone {

/// Five operations of a chain on four devices.
inline Problem chain_problem() {
  WorkloadBuilder builder("chain");
  BufferId last;
  for (int i = 0; i < 5; ++i) {
    const BufferId output = builder.add_buffer({.name = fmt::format("out{}", i), .bytes = 1e6});
    builder.add_operation({.name = fmt::format("work{}", i), .op = "MatMul", .flops = 1e9},
                          last.valid() ? std::span<const BufferId>(&last, 1) : std::span<const BufferId>(),
                          std::span(&output, 1));
    last = output;
  }
  return {.workload = std::move(builder).build(), .machine = load_machine("p100-4")};
}

}  // namespace hone
