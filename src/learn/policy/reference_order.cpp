#include "learn/policy/reference_order.h"

#include <algorithm>
#include <numeric>

#include "plan/methods/cut_order.h"
#include "plan/methods/operation_orders.h"

namespace hone {
namespace {

constexpr std::size_t kMostCuts = 2000;  // operations: beyond, cutting an order takes longer than it is worth

std::vector<float> places(std::span<const OperationId> order) {
  std::vector<float> places(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    places[order[i].index()] = static_cast<float>(i) / static_cast<float>(order.size());
  return places;
}

std::vector<OperationId> order_of_little_memory(const Workload& workload, const OrderMemory& memory) {
  std::vector<OperationId> best(workload.topological_order().begin(), workload.topological_order().end());
  std::int64_t least = memory.peak_bytes(best);
  const auto keep = [&](std::vector<OperationId> order) {
    const std::int64_t peak = memory.peak_bytes(order);
    if (peak >= least) return;
    least = peak;
    best = std::move(order);
  };
  if (!workload.given_order.empty()) keep(workload.given_order);
  for (const OperationOrderRule& rule : operation_order_rules()) keep(rule.make(memory));
  if (workload.operation_count() <= kMostCuts) keep(order_by_cuts(memory, best, CutSide::fewest_before, 0));
  return best;
}

std::vector<OperationId> order_by_tail(const GraphView& graph) {
  const std::span<const OperationId> order = graph.problem().workload.topological_order();
  std::vector<OperationId> sorted(order.begin(), order.end());
  std::ranges::stable_sort(sorted, std::greater(),
                           [&](OperationId operation) { return graph.tail(operation.index()); });
  return sorted;
}

double all_bytes(const GraphView& graph) {
  double sum = 0;
  for (const GraphView::Buffer& buffer : graph.buffers()) sum += buffer.bytes;
  return sum;
}

}  // namespace

ReferenceOrder reference_order(const GraphView& graph) {
  const Problem& problem = graph.problem();
  if (!OrderMemory::can_count(problem.workload)) return {places(order_by_tail(graph)), all_bytes(graph)};
  const OrderMemory memory(problem.workload);
  const std::vector<OperationId> order = problem.objective.asks_for(Measure::memory)
                                             ? order_of_little_memory(problem.workload, memory)
                                             : order_by_tail(graph);
  return {places(order), static_cast<double>(memory.peak_bytes(order))};
}

}  // namespace hone
