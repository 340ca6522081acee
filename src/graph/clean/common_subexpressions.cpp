#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/hash.h"
#include "graph/clean/all_graphs.h"
#include "graph/clean/clean.h"
#include "graph/ir/order.h"
#include "graph/ops/evaluate.h"

namespace hone {
namespace {

/// Hash of what a node computes from which values; equal nodes have equal keys.
std::uint64_t key_of(const Node& node) {
  std::uint64_t key = hash_text(node.op->text());
  for (const ValueId input : node.inputs) key = mix(key, input.index());
  // Attribute order does not matter, so their names are summed.
  std::uint64_t names = 0;
  for (const Attribute& attribute : *node.attributes) names += hash_text(attribute.name);
  return mix(mix(key, names), node.outputs.size());
}

bool same_computation(const Node& a, const Node& b) {
  if (a.op != b.op || !(a.inputs == b.inputs) || a.outputs.size() != b.outputs.size()) return false;
  if (a.attributes->size() != b.attributes->size()) return false;
  for (std::size_t i = 0; i < a.outputs.size(); ++i)
    if (a.outputs[i].valid() != b.outputs[i].valid()) return false;
  return std::ranges::all_of(*a.attributes, [&](const Attribute& attribute) {
    const Attribute* other = find(*b.attributes, attribute.name);
    return other != nullptr && same_meaning(attribute, *other);
  });
}

class Merger {
 public:
  Merger(const Model& model, Graph& graph) : model_(model), graph_(graph), is_output_(graph.value_count(), false) {
    for (const ValueId id : graph.outputs()) is_output_[id.index()] = true;
  }

  std::size_t merge_constants() {
    std::unordered_multimap<std::uint64_t, ValueId> seen;
    std::size_t merged = 0;
    for (const ValueId id : std::vector(graph_.initializers().begin(), graph_.initializers().end())) {
      if (graph_.is_input(id) || is_output_[id.index()]) continue;
      const Tensor& tensor = *graph_.value(id).constant;
      const std::uint64_t key = tensor.likeness();
      const auto [begin, end] = seen.equal_range(key);
      const auto twin =
          std::find_if(begin, end, [&](const auto& entry) { return *graph_.value(entry.second).constant == tensor; });
      if (twin == end) {
        seen.emplace(key, id);
        continue;
      }
      graph_.replace_uses(id, twin->second);
      graph_.remove_initializers(std::span(&id, 1));
      ++merged;
    }
    return merged;
  }

  std::size_t merge_nodes() {
    std::unordered_multimap<std::uint64_t, NodeId> seen;
    std::size_t merged = 0;
    for (const NodeId id : topological_order(graph_)) {
      const Node& node = graph_.node(id);
      const OpEntry* entry = definition_of(node, model_.opsets).entry;
      // What hone does not know may have a state of its own.
      if (entry == nullptr || !entry->deterministic || model_.function(node.op) != nullptr) continue;
      const std::uint64_t key = key_of(node);
      const auto [begin, end] = seen.equal_range(key);
      const auto twin = std::find_if(
          begin, end, [&](const auto& other) { return same_computation(graph_.node(other.second), node); });
      if (twin == end) seen.emplace(key, id);
      else if (replace(id, twin->second)) ++merged;
    }
    return merged;
  }

 private:
  /// A graph output has to keep its own value, so its node stays.
  bool replace(NodeId id, NodeId twin) {
    const SmallVector<ValueId, 1> outputs = graph_.node(id).outputs;
    for (const ValueId output : outputs)
      if (output.valid() && is_output_[output.index()]) return false;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i].valid()) graph_.replace_uses(outputs[i], graph_.node(twin).outputs[i]);
    graph_.remove_node(id);
    return true;
  }

  const Model& model_;
  Graph& graph_;
  std::vector<bool> is_output_;
};

}  // namespace

std::size_t merge_common_subexpressions(Model& model) {
  return change_all_graphs(model, [&](Graph& graph) {
    Merger merger(model, graph);
    const std::size_t constants = merger.merge_constants();
    return constants + merger.merge_nodes();
  });
}

}  // namespace hone
