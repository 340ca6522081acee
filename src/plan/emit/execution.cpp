#include "plan/emit/execution.h"

#include <algorithm>
#include <queue>

#include "base/error.h"
#include "plan/problem/group_contents.h"
#include "plan/simulate/simulator.h"

namespace hone {
namespace {

/// Everything in an order in which what others wait for comes first and, of what could come next, always that of the
/// lowest rank. `edges[i]`: what waits for i, as often as it does.
std::vector<std::uint32_t> ranked_order(const std::vector<std::vector<std::uint32_t>>& edges,
                                        std::span<const std::uint32_t> rank) {
  std::vector<std::size_t> waiting_for(edges.size());
  for (const std::vector<std::uint32_t>& readers : edges)
    for (const std::uint32_t reader : readers) ++waiting_for[reader];
  using Ready = std::pair<std::uint32_t, std::uint32_t>;  // rank and what
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  for (std::uint32_t i = 0; i < edges.size(); ++i)
    if (waiting_for[i] == 0) ready.emplace(rank[i], i);
  std::vector<std::uint32_t> order;
  while (!ready.empty()) {
    order.push_back(ready.top().second);
    ready.pop();
    for (const std::uint32_t reader : edges[order.back()])
      if (--waiting_for[reader] == 0) ready.emplace(rank[reader], reader);
  }
  return order;
}

/// Groups in the order in which they start. Starting times alone do not do: what takes no time starts when its readers
/// do.
std::vector<GroupId> order_of_groups(const Workload& workload, const Plan& plan, const Timeline& timeline) {
  const GroupContents contents(workload, plan);
  std::vector<std::vector<std::uint32_t>> edges(plan.group_count());
  for (std::uint32_t reader = 0; reader < edges.size(); ++reader)
    for (const BufferId buffer : contents.reads(GroupId(reader)))
      if (const OperationId producer = workload.buffer(buffer).producer; producer.valid())
        edges[plan.group(producer).index()].push_back(reader);
  std::vector<std::uint32_t> rank(plan.group_count());
  for (std::uint32_t run = 0; run < timeline.runs.size(); ++run) rank[timeline.runs[run].group.index()] = run;
  std::vector<GroupId> order;
  for (const std::uint32_t group : ranked_order(edges, rank)) order.emplace_back(group);
  return order;
}

/// All operations, those of earlier groups first as far as what they read allows: where a group has copies, it may
/// start before the home of what it copies.
std::vector<OperationId> order_of_operations(const Workload& workload, const Plan& plan,
                                             std::span<const GroupId> groups) {
  std::vector<std::vector<OperationId>> homes(plan.group_count());
  for (const OperationId operation : workload.topological_order())
    homes[plan.group(operation).index()].push_back(operation);
  std::vector<std::uint32_t> rank(workload.operation_count());
  std::uint32_t next = 0;
  for (const GroupId group : groups)
    for (const OperationId operation : homes[group.index()]) rank[operation.index()] = next++;
  std::vector<std::vector<std::uint32_t>> edges(workload.operation_count());
  for (std::uint32_t i = 0; i < edges.size(); ++i)
    for (const BufferId buffer : workload.outputs(OperationId(i)))
      for (const OperationId reader : workload.readers(buffer)) edges[i].push_back(reader.index());
  std::vector<OperationId> order;
  for (const std::uint32_t operation : ranked_order(edges, rank)) order.emplace_back(operation);
  return order;
}

/// How often data changes device at most on its way to each operation.
std::vector<std::uint32_t> stages_of(const Workload& workload, const Plan& plan) {
  std::vector<std::uint32_t> stages(workload.operation_count());
  for (const OperationId reader : workload.topological_order())
    for (const BufferId buffer : workload.inputs(reader)) {
      const OperationId producer = workload.buffer(buffer).producer;
      if (!producer.valid()) continue;
      const std::uint32_t crossings = plan.device(producer) == plan.device(reader) ? 0 : 1;
      stages[reader.index()] = std::max(stages[reader.index()], stages[producer.index()] + crossings);
    }
  return stages;
}

}  // namespace

Execution carry_out(const Workload& workload, const Machine& machine, const Plan& plan) {
  Simulator simulator(std::make_shared<SimulatorTables>(workload, machine));
  const Timeline timeline = simulator.trace(plan);
  HONE_CHECK(timeline.runs.size() == plan.group_count(), "a plan of {} groups comes to a stop after {}",
             plan.group_count(), timeline.runs.size());
  Execution execution{.groups = order_of_groups(workload, plan, timeline)};
  HONE_CHECK(execution.groups.size() == plan.group_count());
  std::vector<std::uint32_t> stream_of(plan.group_count());
  for (const Timeline::Run& run : timeline.runs) stream_of[run.group.index()] = run.stream;
  const std::vector<std::uint32_t> stages = stages_of(workload, plan);
  for (const OperationId operation : order_of_operations(workload, plan, execution.groups))
    execution.steps.push_back({.operation = operation,
                               .device = plan.device(operation),
                               .stream = stream_of[plan.group(operation).index()],
                               .stage = stages[operation.index()]});
  return execution;
}

}  // namespace hone
