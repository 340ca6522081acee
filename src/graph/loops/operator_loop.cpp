#include "graph/loops/operator_loop.h"

#include <algorithm>
#include <map>

#include "graph/ops/axes.h"
#include "graph/ops/evaluate.h"

namespace hone {
namespace {

std::map<const OpName*, const LoopEntry*> loop_entries_by_name() {
  std::map<const OpName*, const LoopEntry*> index;
  for (const LoopEntry* entry : LoopFamily::all_entries()) {
    const bool added = index.emplace(OpName::intern(entry->domain, entry->name), entry).second;
    HONE_CHECK(added, "operator {} describes itself as a loop twice", entry->name);
  }
  return index;
}

bool can_loop_over(const Graph& graph, std::span<const ValueId> values) {
  return std::ranges::all_of(values, [&](ValueId id) {
    if (!id.valid()) return true;
    const Type& type = graph.value(id).type;
    return type.is_static_tensor() && has_loop_type(type.element);
  });
}

}  // namespace

const Tensor* LoopContext::constant(std::size_t input) const {
  if (!has_input(input)) return nullptr;
  const Value& value = graph_.value(node().inputs[input]);
  return value.constant && !graph_.is_input(node().inputs[input]) ? &*value.constant : nullptr;
}

std::optional<double> LoopContext::number_input(std::size_t input) const {
  const Tensor* tensor = constant(input);
  return tensor != nullptr && tensor->count() == 1 ? std::optional(tensor->number_at(0)) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> LoopContext::integers_input(std::size_t input) const {
  const Tensor* tensor = constant(input);
  return tensor != nullptr ? std::optional(tensor->integers()) : std::nullopt;
}

Dims LoopContext::dims_of(ValueId id) const {
  Dims dims;
  for (const Dim dim : graph_.value(id).type.shape) dims.push_back(dim.value());
  return dims;
}

std::optional<OperatorLoop> operator_loop(const Graph& graph, NodeId id, const Opsets& opsets, std::size_t output) {
  static const auto index = loop_entries_by_name();
  const Node& node = graph.node(id);
  const auto found = index.find(node.op);
  if (found == index.end()) return std::nullopt;
  const Definition definition = definition_of(node, opsets);
  if (definition.entry == nullptr || output >= node.outputs.size() || !node.outputs[output].valid())
    return std::nullopt;
  if (!can_loop_over(graph, node.written_inputs()) || !can_loop_over(graph, {node.outputs.data(), node.outputs.size()}))
    return std::nullopt;
  return found->second->describe(LoopContext(graph, *definition.entry, node, definition.version), output);
}

OperatorLoop pointwise_loop(const LoopContext& context,
                            std::function<LoopValue(LoopBody&, std::span<const LoopValue>)> body) {
  OperatorLoop loop{.space = context.output_dims(0)};
  loop.writes = strides_of(loop.space);
  for (std::size_t i = 0; i < context.input_count(); ++i) {
    if (!context.has_input(i)) continue;
    loop.inputs.push_back(i);
    loop.reads.push_back({.strides = broadcast_strides(context.dims(i), loop.space)});
  }
  loop.body = std::move(body);
  return loop;
}

}  // namespace hone
