#pragma once

#include <cmath>
#include <limits>

#include "plan/methods/load_graph.h"
#include "plan/simulate/objective_cost.h"
#include "plan/solve/solve.h"

namespace hone {

/// A small graph with stated times, colocated operations and weights, on two accelerators and perhaps a host, memory
/// tight.
inline Problem draw_problem(Rng& rng, const Objective& objective) {
  WorkloadBuilder builder("drawn");
  builder.set_device_kinds({"accelerator", "host"});
  const std::size_t operations = 3 + rng.below(5);
  std::vector<BufferId> results;
  double total = 0;
  for (std::size_t i = 0; i < operations; ++i) {
    const double bytes = static_cast<double>(1 + rng.below(20));
    total += bytes;
    std::vector<BufferId> inputs = {builder.add_buffer({.bytes = bytes, .kind = Buffer::Kind::weight})};
    for (const BufferId result : results)
      if (rng.below(3) == 0) inputs.push_back(result);
    results.push_back(builder.add_buffer({.transfer_seconds = static_cast<double>(rng.below(4))}));
    Operation operation{.name = "w", .colocate = rng.below(4) == 0 ? 1U : 0U};
    const auto seconds = static_cast<double>(1 + rng.below(9));
    operation.seconds = {seconds, seconds * 3};
    if (rng.below(8) == 0) operation.seconds[0] = std::numeric_limits<double>::quiet_NaN();
    builder.add_operation(std::move(operation), inputs, std::span(&results.back(), 1));
  }
  Machine machine{.name = "drawn", .kinds = {{.name = "accelerator"}, {.name = "host", .is_host = true}}};
  machine.kinds[0].memory_bytes = total * 0.7;
  machine.kinds[1].memory_bytes = std::numeric_limits<double>::infinity();
  for (DeviceKind& kind : machine.kinds) kind.flops.emplace_back(ElementType::float32, 1.0);
  machine.devices = {{"a0", 0}, {"a1", 0}, {"host", 1}};
  machine.links.push_back({.name = "link"});
  for (int from = 0; from < 3; ++from)
    for (int to = 0; to < 3; ++to) machine.routes.push_back(from == to ? LinkId() : LinkId(0));
  return {.workload = std::move(builder).build(), .machine = std::move(machine), .objective = objective};
}

/// The best score of all placements, one after another.
inline Score best_by_trying_all(const Problem& problem) {
  const LoadGraph graph(problem);
  ObjectiveCost judge(problem);
  Score best{.excess = std::numeric_limits<double>::infinity()};
  std::vector<std::size_t> option(graph.size());
  for (bool more = true; more;) {
    std::vector<std::uint32_t> device_of;
    for (std::size_t i = 0; i < graph.size(); ++i) device_of.push_back(graph.choices.devices(i)[option[i]].index());
    best = std::min(best, score(problem.objective, judge.evaluate(graph.plan(undecided_plan(problem), device_of))),
                    [](const Score& a, const Score& b) { return a < b; });
    more = false;
    for (std::size_t i = 0; i < graph.size() && !more; ++i) {
      more = ++option[i] < graph.choices.devices(i).size();
      if (!more) option[i] = 0;
    }
  }
  return best;
}

/// What an optimiser makes of the placement alone.
inline Solution solve_with(const Problem& problem, std::string_view optimizer, std::uint64_t evaluations) {
  return solve(problem, "place", optimizer, {.budget = {.evaluations = evaluations}, .show_progress = false});
}

}  // namespace hone
