#include <string>
#include <unordered_set>

#include "graph/clean/clean.h"
#include "graph/ir/bodies.h"
#include "graph/ir/scope.h"
#include "graph/ops/op.h"

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

/// Whether the inputs and outputs of a graph may be renamed: an operator that hone does not know may ask for them by
/// name, as BeamSearch does for those of its decoder.
enum class Ends { renamed, kept };

Ends ends_of_bodies(const Node& holder) {
  return OpTable::instance().find(holder.op) != nullptr ? Ends::renamed : Ends::kept;
}

std::size_t separate(Graph& graph, const NamesInSight* around, Ends ends) {
  std::size_t renamed = 0;
  if (around == nullptr && !holds_bodies(graph)) return 0;
  NamesInSight here{.names = {}, .around = around};
  for (std::size_t i = 0; i < graph.value_count(); ++i) here.names.insert(graph.value(ValueId(i)).name);
  for (std::size_t i = 0; i < graph.value_count() && around != nullptr; ++i) {
    const ValueId id(i);
    const std::string name = graph.value(id).name;
    if (!around->contains(name) || graph.is_capture(id)) continue;
    if (ends == Ends::kept && (graph.is_input(id) || graph.is_output(id))) continue;
    std::string fresh = name;
    for (std::size_t suffix = 1; here.contains(fresh); ++suffix) fresh = name + "_" + std::to_string(suffix);
    here.names.insert(fresh);
    graph.rename(id, std::move(fresh));
    ++renamed;
  }
  return renamed + change_bodies(graph, [&](const Node& holder, Graph& body) {
           return separate(body, &here, ends_of_bodies(holder)) > 0;
         });
}

}  // namespace

std::size_t separate_names(Model& model) { return separate(model.graph, nullptr, Ends::kept); }

}  // namespace hone
