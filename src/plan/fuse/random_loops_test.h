#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "plan/problem/problem.h"

namespace hone {

/// A random graph of loops over a few sizes: 4 rows of 8 points, and numbers of neither kind.
inline Problem random_loops(Rng& rng, std::size_t operations) {
  struct Made {
    BufferId buffer;
    double elements = 0;
  };
  constexpr double kRows = 4, kPoints = 32;
  WorkloadBuilder builder("loops");
  std::vector<Made> made;
  const auto add_input = [&](double elements) {
    made.push_back({builder.add_buffer({.bytes = elements * 4, .kind = Buffer::Kind::input}), elements});
  };
  for (const double elements : {kRows, kPoints, 7.0}) add_input(elements);
  for (std::size_t i = 0; i < operations; ++i) {
    Operation operation{.name = "operation" + std::to_string(i), .operation_class = OperationClass::pointwise};
    Loop& loop = operation.loop;
    const std::size_t draw = rng.below(12);
    loop.kind = draw < 8    ? Loop::Kind::map
                : draw < 10 ? Loop::Kind::rows
                : draw < 11 ? Loop::Kind::contraction
                            : (rng.below(2) == 0 ? Loop::Kind::columns : Loop::Kind::none);
    loop.points = loop.kind == Loop::Kind::map || loop.kind == Loop::Kind::contraction ? (rng.below(3) == 0   ? kRows
                                                                                          : rng.below(8) == 0 ? 7
                                                                                                              : kPoints)
                                                                                       : kPoints;
    loop.rows = loop.kind == Loop::Kind::rows || loop.kind == Loop::Kind::columns ? kRows : loop.points;
    loop.results = loop.kind == Loop::Kind::columns || (loop.kind == Loop::Kind::rows && rng.below(2) == 0)
                       ? loop.rows
                       : loop.points;
    std::vector<BufferId> inputs;
    for (std::size_t n = 1 + rng.below(3); n > 0; --n) {
      const Made& input = made[made.size() - 1 - rng.below(std::min<std::size_t>(made.size(), 6))];
      inputs.push_back(input.buffer);
      const bool in_step = loop.kind != Loop::Kind::contraction && rng.below(5) > 0;
      loop.reads.push_back(!in_step                                            ? Access::other
                           : input.elements == loop.points                     ? Access::same
                           : input.elements == kRows && loop.points == kPoints ? Access::row
                                                                               : Access::other);
    }
    const double elements = loop.results;
    operation.flops = loop.points * static_cast<double>(1 + rng.below(4));
    operation.bytes = elements * 8;
    if (rng.below(30) == 0) operation.colocate = 1;
    const BufferId output = builder.add_buffer({.bytes = elements * 4, .is_output = rng.below(12) == 0});
    builder.add_operation(std::move(operation), inputs, std::span(&output, 1));
    made.push_back({output, elements});
  }
  Problem problem{.workload = std::move(builder).build()};
  problem.machine.name = "one";
  problem.machine.kinds.push_back({.name = "device",
                                   .memory_bytes = 1e9,
                                   .bytes_per_second = 1e3,
                                   .launch_seconds = 0.01,
                                   .scratch_bytes = rng.below(4) == 0 ? 16.0 : 1e3,
                                   .live_values = 8,
                                   .flops = {{ElementType::float32, 1e4}}});
  problem.machine.devices.push_back({"device:0", 0});
  problem.machine.routes.emplace_back();
  return problem;
}

}  // namespace hone
