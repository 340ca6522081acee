#include "rewrite/search/node_origin.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "graph/ir/node_notes.h"

namespace hone {
namespace {

constexpr const char* kFrom = "hone.from";
constexpr const char* kRule = "hone.rule";

const std::string* entry(const Node& node, std::string_view key) {
  if (!node.notes) return nullptr;
  const auto it = std::ranges::find(node.notes->metadata, key, &Entry::first);
  return it == node.notes->metadata.end() ? nullptr : &it->second;
}

/// A node without a name goes by its first output.
std::string name_of(const Graph& graph, const Node& node) {
  if (!node.name.empty()) return node.name;
  for (const ValueId output : node.outputs)
    if (output.valid()) return graph.value(output).name;
  return node.op->name;
}

/// Names may contain anything, so that the list is one of JSON.
std::vector<std::string> names_in(const std::string& text) {
  const auto list = nlohmann::json::parse(text, nullptr, false);
  std::vector<std::string> names;
  if (list.is_array())
    for (const auto& each : list)
      if (each.is_string()) names.push_back(each);
  return names;
}

}  // namespace

std::vector<std::string> original_names(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  const std::string* from = entry(node, kFrom);
  return from ? names_in(*from) : std::vector{name_of(graph, node)};
}

void note_origin(Graph& graph, NodeId id, const std::string& rule, const std::vector<std::string>& from) {
  const std::string list = nlohmann::json(from).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const Entry entries[] = {{kFrom, list}, {kRule, rule}};
  graph.set_node_notes(id, with_entries(graph.node(id).notes, entries));
}

std::vector<Origin> made_by_rules(const Graph& graph) {
  std::vector<Origin> origins;
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    if (const std::string* rule = entry(node, kRule))
      origins.push_back({.node = name_of(graph, node), .rule = *rule, .from = original_names(graph, id)});
  }
  return origins;
}

void drop_origins(Graph& graph) {
  for (const NodeId id : graph.nodes()) {
    const SharedNotes& notes = graph.node(id).notes;
    if (!notes || entry(graph.node(id), kRule) == nullptr) continue;
    Notes kept = *notes;
    std::erase_if(kept.metadata, [](const Entry& each) { return each.first == kFrom || each.first == kRule; });
    graph.set_node_notes(id, kept.empty() ? nullptr : std::make_shared<const Notes>(std::move(kept)));
  }
}

}  // namespace hone
