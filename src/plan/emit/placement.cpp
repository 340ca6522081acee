#include "plan/emit/placement.h"

#include "base/error.h"
#include "plan/problem/lower.h"

namespace hone {

Placement place_nodes(const Graph& graph, const Execution& execution) {
  const std::vector<NodeId> operations = operation_nodes(graph);
  if (operations.size() != execution.steps.size())
    fail("graph '{}' has {} nodes to run, the plan is for {}", graph.name, operations.size(), execution.steps.size());
  Placement placement;
  placement.place_of.assign(graph.node_slots(), {.device = DeviceId(0)});
  std::vector<bool> placed(graph.node_slots());
  const auto place = [&](NodeId id, const Execution::Step& step) {
    if (placed[id.index()]) return;
    placed[id.index()] = true;
    placement.place_of[id.index()] = {.device = step.device, .stream = step.stream, .stage = step.stage};
  };
  for (const Execution::Step& step : execution.steps) {
    const NodeId id = operations[step.operation.index()];
    placement.order.push_back(id);
    place(id, step);
    for (const ValueId input : graph.node(id).inputs)
      if (input.valid() && graph.value(input).producer.valid()) place(graph.value(input).producer, step);
  }
  return placement;
}

}  // namespace hone
