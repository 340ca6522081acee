#include "ir/residue.h"

#include "ir/bodies.h"

namespace hone {
namespace {

SharedNotes readable(const SharedNotes& notes) {
  if (!notes || notes->residue.empty()) return notes;
  Notes kept = *notes;
  kept.residue.clear();
  return kept.empty() ? nullptr : std::make_shared<const Notes>(std::move(kept));
}

void drop_from(Graph& graph) {
  change_bodies(graph, [](Graph& body) {
    drop_from(body);
    return true;
  });
  graph.notes = readable(graph.notes);
  for (std::size_t i = 0; i < graph.value_count(); ++i)
    if (graph.value(ValueId(i)).notes) graph.set_value_notes(ValueId(i), readable(graph.value(ValueId(i)).notes));
  for (const NodeId id : graph.nodes())
    if (graph.node(id).notes) graph.set_node_notes(id, readable(graph.node(id).notes));
}

}  // namespace

void drop_residue(Model& model) {
  model.notes = readable(model.notes);
  drop_from(model.graph);
  for (Function& function : model.functions) {
    function.notes = readable(function.notes);
    drop_from(function.body);
  }
}

}  // namespace hone
