#include <algorithm>

#include "graph/clean/all_graphs.h"
#include "graph/clean/clean.h"
#include "graph/ir/order.h"

namespace hone {
namespace {

std::size_t remove_dead_nodes(Graph& graph) {
  std::vector<bool> is_output(graph.value_count(), false);
  for (const ValueId output : graph.outputs()) is_output[output.index()] = true;
  std::size_t removed = 0;
  std::vector<NodeId> order = topological_order(graph);
  // Readers before producers, so that one sweep removes whole chains.
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const bool needed = std::ranges::any_of(graph.node(*it).outputs, [&](ValueId output) {
      return output.valid() && (is_output[output.index()] || !graph.users(output).empty());
    });
    if (needed) continue;
    graph.remove_node(*it);
    ++removed;
  }
  return removed;
}

std::size_t remove_dead_constants(Graph& graph) {
  std::vector<bool> kept(graph.value_count(), false);
  for (const ValueId id : graph.outputs()) kept[id.index()] = true;
  for (const ValueId id : graph.inputs()) kept[id.index()] = true;  // a default value is part of the signature
  std::vector<ValueId> unused;
  for (const ValueId id : graph.initializers())
    if (!kept[id.index()] && graph.users(id).empty()) unused.push_back(id);
  graph.remove_initializers(unused);
  return unused.size();
}

}  // namespace

std::size_t remove_dead_code(Model& model) {
  return change_all_graphs(model, [](Graph& graph) {
    const std::size_t nodes = remove_dead_nodes(graph);
    return nodes + remove_dead_constants(graph);
  });
}

}  // namespace hone
