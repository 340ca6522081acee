#include "graph/expand/expand.h"

#include <algorithm>
#include <map>

#include "graph/expand/expansion.h"
#include "graph/ops/infer.h"

namespace hone {
namespace {

std::map<const OpName*, const ExpansionEntry*> expansions_by_name() {
  std::map<const OpName*, const ExpansionEntry*> index;
  for (const ExpansionEntry* entry : ExpansionFamily::all_entries())
    index.emplace(OpName::intern(entry->domain, entry->name), entry);
  return index;
}

bool has_static_types(const Graph& graph, const Node& node) {
  const auto is_static = [&](ValueId id) { return !id.valid() || graph.value(id).type.is_static_tensor(); };
  return std::ranges::all_of(node.inputs, is_static) && std::ranges::all_of(node.outputs, is_static);
}

bool expand_node(Model& model, NodeId id) {
  static const auto index = expansions_by_name();
  const Node& node = model.graph.node(id);
  const auto found = index.find(node.op);
  if (found == index.end() || !has_static_types(model.graph, node)) return false;
  const Definition definition = definition_of(node, model.opsets);
  if (definition.entry == nullptr) return false;
  Graph before = model.graph;
  const Node copy = node;  // what is written may move the table of nodes
  Expansion expansion(model, id, copy, definition);
  if (!found->second->expand(expansion)) {
    model.graph = std::move(before);
    return false;
  }
  expansion.finish();
  return true;
}

}  // namespace

std::size_t expand_operators(Model& model) {
  std::size_t total = 0;
  for (;;) {
    std::size_t expanded = 0;
    for (const NodeId id : model.graph.nodes()) expanded += expand_node(model, id) ? 1 : 0;
    if (expanded == 0) return total;
    total += expanded;
    infer_types(model);
  }
}

}  // namespace hone
