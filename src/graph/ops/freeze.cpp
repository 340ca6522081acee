#include "graph/ops/freeze.h"

namespace hone {

void freeze_signature(Model& model) {
  Graph& graph = model.graph;
  // The declaration as the file had it is what would be written; without it the type is.
  for (const ValueId id : graph.inputs()) graph.set_value_notes(id, nullptr);
  for (const ValueId id : graph.outputs()) graph.set_value_notes(id, nullptr);
  for (const ValueId id : graph.described()) graph.set_value_notes(id, nullptr);
}

}  // namespace hone
