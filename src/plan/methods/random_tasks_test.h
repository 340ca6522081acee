#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "plan/simulate/bounds.h"
#include "plan/simulate/simulated_cost.h"
#include "plan/solve/solve.h"

namespace hone {

/// Tasks of whole seconds with a few random predecessors each, as in a standard task graph.
inline Workload random_tasks(Rng& rng, std::size_t count) {
  WorkloadBuilder builder("tasks");
  builder.set_device_kinds({"processor"});
  std::vector<OperationId> operations;
  for (std::size_t i = 0; i < count; ++i) {
    const BufferId output = builder.add_buffer({.name = std::to_string(i), .transfer_seconds = 0});
    operations.push_back(builder.add_operation(
        {.name = std::to_string(i), .op = "task", .seconds = {static_cast<double>(1 + rng.below(6))}}, {},
        std::span(&output, 1)));
    for (std::size_t before = 0; before < i; ++before)
      if (rng.uniform() < 0.25) builder.add_dependency(operations[before], operations.back());
  }
  return std::move(builder).build();
}

/// What an optimiser comes to; the search knows the lower bound.
inline Solution solve(const Problem& problem, std::string_view optimizer, std::uint64_t evaluations = 2000) {
  return solve(problem, "place+schedule+transfers", optimizer,
               {.budget = {.evaluations = evaluations},
                .bound = lower_bounds(problem.workload, problem.machine, Fusion::none).seconds(),
                .show_progress = false});
}

/// The least makespan over all placements and all orders, as the simulator runs them.
inline double least_makespan(const Problem& problem) {
  const std::size_t operations = problem.workload.operation_count(), devices = problem.machine.device_count();
  SimulatedCost evaluator(problem);
  Plan plan = plan_on_one_device(problem.workload);
  plan.priority.resize(operations);
  for (std::size_t i = 0; i < operations; ++i) plan.priority[i] = static_cast<float>(i);
  double least = std::numeric_limits<double>::infinity();
  do {
    for (std::size_t placement = 0; placement < static_cast<std::size_t>(std::pow(devices, operations)); ++placement) {
      for (std::size_t i = 0, rest = placement; i < operations; ++i, rest /= devices)
        plan.device_of[i] = DeviceId(rest % devices);
      least = std::min(least, evaluator.evaluate(plan).seconds);
    }
  } while (std::ranges::next_permutation(plan.priority).found);
  return least;
}

}  // namespace hone
