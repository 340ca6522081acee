#include "graph/ops/evaluate.h"

#include <algorithm>

namespace hone {
namespace {

/// Operators of ONNX's own domain that ONNX Runtime had before ONNX took them over, and reads in every opset.
constexpr std::string_view kReadEarly[] = {"LayerNormalization", "ThresholdedRelu"};

bool is_read_early(const OpName& op) {
  return op.domain.empty() && std::ranges::find(kReadEarly, op.name) != std::end(kReadEarly);
}

}  // namespace

Definition definition_of(const Node& node, const Opsets& opsets) {
  const OpEntry* entry = OpTable::instance().find(node.op);
  if (entry == nullptr) return {};
  const std::int64_t opset = opsets.version(node.op->domain);
  if (opset == 0) return {.entry = entry, .version = entry->versions.back()};
  if (const int version = entry->version_at(opset); version != 0) return {.entry = entry, .version = version};
  if (is_read_early(*node.op)) return {.entry = entry, .version = entry->versions.front(), .in_opset = false};
  return {};
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
