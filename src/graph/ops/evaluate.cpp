#include "graph/ops/evaluate.h"

namespace hone {

Definition definition_of(const Node& node, const Opsets& opsets) {
  const OpEntry* entry = OpTable::instance().find(node.op);
  if (entry == nullptr) return {};
  // A domain the model uses without importing it is taken at its first version.
  const int version = entry->version_at(std::max<std::int64_t>(opsets.version(node.op->domain), 1));
  return version == 0 ? Definition{} : Definition{entry, version};
}

std::vector<Datum> evaluate(const Graph& graph, NodeId id, const Opsets& opsets, std::span<const Datum> inputs,
                            EvaluateContext::RunBody run_body, std::uint64_t seed) {
  const Node& node = graph.node(id);
  const Definition definition = definition_of(node, opsets);
  if (definition.entry == nullptr || definition.entry->evaluate == nullptr)
    fail("{}: the reference interpreter has no meaning for this operator in opset {}", describe(graph, id),
         opsets.version(node.op->domain));
  EvaluateContext context(*definition.entry, node, definition.version, inputs, std::move(run_body), seed);
  try {
    definition.entry->evaluate(context);
  } catch (const InputError& error) {
    // What fails below the operator (a tensor too large, an element type) does not know which node it is in.
    const std::string_view said = error.what();
    if (said.starts_with(node.op->text())) throw;
    throw InputError(fmt::format("{}: {}", describe(graph, id), said), error.code());
  }
  return context.take_outputs();
}

}  // namespace hone
