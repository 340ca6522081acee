#include "plan/fuse/kernel_cost.h"

#include <algorithm>

namespace hone {

KernelCost::KernelCost(const Problem& problem, const FusionGraph& graph, const Plan& plan)
    : problem_(problem), graph_(graph), plan_(plan), timer_(problem.workload, problem.machine), stamp_(graph.size()) {}

void KernelCost::clear() {
  ++kernel_;
  operations_.clear();
}

void KernelCost::add(std::uint32_t operation) {
  if (contains(operation)) return;
  stamp_[operation] = kernel_;
  operations_.emplace_back(operation);
}

bool KernelCost::is_stored(BufferId buffer) const {
  const std::span<const OperationId> readers = problem_.workload.readers(buffer);
  return problem_.workload.buffer(buffer).is_output || readers.empty() ||
         !std::ranges::all_of(readers, [this](OperationId reader) { return contains(reader.index()); });
}

double KernelCost::seconds(std::size_t homes) {
  stored_.clear();
  for (std::size_t i = 0; i < homes; ++i)
    for (const BufferId output : problem_.workload.outputs(operations_[i]))
      if (is_stored(output)) stored_.push_back(output);
  const std::size_t kind = problem_.machine.device(plan_.device(operations_.front())).kind;
  std::ranges::sort(operations_, {}, [this](OperationId operation) { return graph_.position[operation.index()]; });
  return timer_.seconds({.instances = operations_, .stored = stored_}, kind);
}

}  // namespace hone
