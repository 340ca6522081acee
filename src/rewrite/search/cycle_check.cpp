#include "rewrite/search/cycle_check.h"

#include <algorithm>

#include "graph/ir/order.h"

namespace hone {

void CycleCheck::prepare() {
  height_.assign(graph_.node_slots(), 0);
  seen_.assign(graph_.node_slots(), 0);
  for (const NodeId id : topological_order(graph_))
    for (const ValueId input : graph_.node(id).inputs)
      if (input.valid() && graph_.value(input).producer.valid())
        height_[id.index()] = std::max(height_[id.index()], height_[graph_.value(input).producer.index()] + 1);
}

bool CycleCheck::closes(const Match& match) {
  if (match.rule->loose_inputs.empty()) return false;
  if (height_.empty()) prepare();
  ++question_;
  std::vector<NodeId> taken, stack;
  for (const auto& nodes : match.nodes) taken.insert(taken.end(), nodes.begin(), nodes.end());
  std::uint32_t lowest = UINT32_MAX;  // what lies below it is computed from none of them
  for (const NodeId id : taken) lowest = std::min(lowest, height_[id.index()]);
  const auto push = [&](ValueId id) {
    const NodeId producer = id.valid() ? graph_.value(id).producer : NodeId();
    if (!producer.valid() || height_[producer.index()] < lowest || seen_[producer.index()] == question_) return;
    seen_[producer.index()] = question_;
    stack.push_back(producer);
  };
  for (const std::size_t variable : match.rule->loose_inputs)
    for (const ValueId id : match.bindings.tensors[variable]) push(id);
  while (!stack.empty()) {
    const NodeId id = stack.back();
    stack.pop_back();
    if (std::ranges::find(taken, id) != taken.end()) return true;
    for (const ValueId input : graph_.node(id).inputs) push(input);
  }
  return false;
}

}  // namespace hone
