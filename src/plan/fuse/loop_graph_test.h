#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "plan/problem/problem.h"

namespace hone {

/// A small graph of loops by hand; operations go by their numbers.
class LoopGraph {
 public:
  struct Input {
    int operation = -1;  // none: an input of the graph
    Access access = Access::same;
  };

  int add(Loop::Kind kind, double points, double rows, double results, std::initializer_list<Input> inputs) {
    Operation operation{.name = std::to_string(outputs_.size()), .operation_class = OperationClass::pointwise};
    operation.loop = {.kind = kind, .points = points, .rows = rows, .results = results};
    std::vector<BufferId> read;
    for (const Input& input : inputs) {
      operation.loop.reads.push_back(input.access);
      read.push_back(input.operation < 0 ? builder_.add_buffer({.bytes = 4 * points, .kind = Buffer::Kind::input})
                                         : outputs_[static_cast<std::size_t>(input.operation)]);
    }
    operation.bytes = 4 * (results + points * static_cast<double>(inputs.size()));
    operation.flops = points * flops_of_point;
    operation.colocate = colocate;
    outputs_.push_back(builder_.add_buffer({.bytes = 4 * results, .is_output = is_result}));
    builder_.add_operation(std::move(operation), read, std::span(&outputs_.back(), 1));
    return static_cast<int>(outputs_.size()) - 1;
  }
  int map(double points, std::initializer_list<Input> inputs) {
    return add(Loop::Kind::map, points, points, points, inputs);
  }
  int sum(double points, double rows, std::initializer_list<Input> inputs) {
    return add(Loop::Kind::rows, points, rows, rows, inputs);
  }
  int product(double points, std::initializer_list<Input> inputs) {
    return add(Loop::Kind::contraction, points, points, points, inputs);
  }

  Problem build(double scratch_bytes = 1e6) && {
    Problem problem{.workload = std::move(builder_).build()};
    problem.machine.kinds.push_back({.name = "device",
                                     .memory_bytes = 1e9,
                                     .bytes_per_second = 1e3,
                                     .launch_seconds = 0.01,
                                     .scratch_bytes = scratch_bytes,
                                     .live_values = 64,
                                     .flops = {{ElementType::float32, 1e3}}});
    problem.machine.devices.push_back({"device", 0});
    problem.machine.routes.emplace_back();
    return problem;
  }

  // Of the next operations:
  std::uint32_t colocate = 0;
  bool is_result = false;  // of the graph
  double flops_of_point = 0;

 private:
  WorkloadBuilder builder_{"by hand"};
  std::vector<BufferId> outputs_;
};

}  // namespace hone
