#include <algorithm>

#include "graph/clean/all_graphs.h"
#include "graph/clean/clean.h"
#include "graph/ir/order.h"
#include "graph/ir/scope.h"
#include "graph/ops/op.h"

namespace hone {
namespace {

/// Domains whose operators compute their outputs and do nothing else, also those that hone does not know.
constexpr std::string_view kDomainsWithoutEffects[] = {"", "ai.onnx.ml", "ai.onnx.preview.training"};

bool may_act(const Model& model, const Graph& graph);

/// Whether a node may do more than compute its outputs, as an operator that hone does not know may (send, print,
/// count), or a function or body with one.
bool may_act(const Model& model, const Node& node) {
  if (const Function* called = model.function(node.op)) return may_act(model, called->body);
  if (OpTable::instance().find(node.op) == nullptr &&
      std::ranges::find(kDomainsWithoutEffects, node.op->domain) == std::end(kDomainsWithoutEffects))
    return true;
  return std::ranges::any_of(bodies_of(node), [&](const HeldBody& body) { return may_act(model, *body.graph); });
}

bool may_act(const Model& model, const Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [&](NodeId id) { return may_act(model, graph.node(id)); });
}

/// Runtimes take what nobody reads for the outputs of a graph that declares none.
std::size_t remove_dead_nodes(const Model& model, Graph& graph) {
  if (graph.outputs().empty()) return 0;
  std::vector<bool> is_output(graph.value_count(), false);
  for (const ValueId output : graph.outputs()) is_output[output.index()] = true;
  std::size_t removed = 0;
  std::vector<NodeId> order = topological_order(graph);
  // Readers before producers, so that one sweep removes whole chains.
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const bool needed = std::ranges::any_of(graph.node(*it).outputs, [&](ValueId output) {
      return output.valid() && (is_output[output.index()] || !graph.users(output).empty());
    });
    if (needed || may_act(model, graph.node(*it))) continue;
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
  return change_all_graphs(model, [&](Graph& graph) {
    const std::size_t nodes = remove_dead_nodes(model, graph);
    return nodes + remove_dead_constants(graph);
  });
}

}  // namespace hone
