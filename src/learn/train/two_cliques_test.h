#pragma once

#include <fmt/format.h>

#include "plan/machine/machine_file.h"
#include "plan/problem/problem.h"

namespace hone::learn {

/// For tests: two lots of work, in each of which all hangs together by what takes long to move, and nothing between
/// them. The best plan has each on a device of its own.
inline Problem two_cliques(int operations_of_each = 8) {
  WorkloadBuilder builder("two cliques");
  for (const OperationClass kind : {OperationClass::matmul, OperationClass::convolution}) {
    std::vector<BufferId> made;
    for (int i = 0; i < operations_of_each; ++i) {
      const BufferId output = builder.add_buffer({.name = fmt::format("made{}", i), .bytes = 4e6});
      builder.add_operation({.name = fmt::format("work{}", i), .operation_class = kind, .flops = 1e9, .bytes = 4e6},
                            made, std::span(&output, 1));
      made.push_back(output);
    }
  }
  return {.workload = std::move(builder).build(), .machine = load_machine("p100-2"), .objective = Objective::seconds};
}

}  // namespace hone::learn
