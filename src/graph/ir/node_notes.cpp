#include "graph/ir/node_notes.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace hone {
namespace {

std::string first_output_name(const Graph& graph, const Node& node) {
  for (const ValueId output : node.outputs)
    if (output.valid()) return graph.value(output).name;
  return node.op->name;
}

}  // namespace

SharedNotes with_entries(const SharedNotes& notes, std::span<const Entry> entries) {
  auto changed = notes ? std::make_shared<Notes>(*notes) : std::make_shared<Notes>();
  for (const Entry& entry : entries) {
    std::erase_if(changed->metadata, [&](const Entry& old) { return old.first == entry.first; });
    changed->metadata.push_back(entry);
  }
  return changed;
}

std::size_t name_nodes(Graph& graph) {
  std::unordered_set<std::string> taken;
  std::unordered_map<std::string, std::size_t> last_number;
  std::vector<NodeId> unnamed;
  for (const NodeId id : graph.nodes())
    if (graph.node(id).name.empty() || !taken.insert(graph.node(id).name).second) unnamed.push_back(id);
  for (const NodeId id : unnamed) {
    const Node& node = graph.node(id);
    const std::string stem = node.name.empty() ? first_output_name(graph, node) : node.name;
    std::string name = stem;
    // Counting goes on where it stopped for the same stem, since a file may give all its nodes one name.
    for (std::size_t& number = last_number[stem]; !taken.insert(name).second;)
      name = stem + "_" + std::to_string(++number);
    graph.set_node_name(id, std::move(name));
  }
  return unnamed.size();
}

}  // namespace hone
