#include <string>
#include <unordered_set>

#include "graph/clean/clean.h"
#include "graph/ir/bodies.h"
#include "graph/ir/scope.h"

namespace hone {
namespace {

/// The names of a graph's values and of the graphs around it.
struct NamesInSight {
  std::unordered_set<std::string> names;
  const NamesInSight* around = nullptr;

  bool contains(const std::string& name) const {
    return names.contains(name) || (around != nullptr && around->contains(name));
  }
};

bool holds_bodies(const Graph& graph) {
  for (const NodeId id : graph.nodes())
    if (!bodies_of(graph.node(id)).empty()) return true;
  return false;
}

std::size_t separate(Graph& graph, const NamesInSight* around) {
  std::size_t renamed = 0;
  if (around == nullptr && !holds_bodies(graph)) return 0;
  NamesInSight here{.names = {}, .around = around};
  for (std::size_t i = 0; i < graph.value_count(); ++i) here.names.insert(graph.value(ValueId(i)).name);
  for (std::size_t i = 0; i < graph.value_count() && around != nullptr; ++i) {
    const ValueId id(i);
    const std::string name = graph.value(id).name;
    if (!around->contains(name) || graph.is_capture(id)) continue;
    std::string fresh = name;
    for (std::size_t suffix = 1; here.contains(fresh); ++suffix) fresh = name + "_" + std::to_string(suffix);
    here.names.insert(fresh);
    graph.rename(id, std::move(fresh));
    ++renamed;
  }
  return renamed + change_bodies(graph, [&](Graph& body) { return separate(body, &here) > 0; });
}

}  // namespace

std::size_t separate_names(Model& model) { return separate(model.graph, nullptr); }

}  // namespace hone
