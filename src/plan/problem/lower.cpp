#include "plan/problem/lower.h"

#include <algorithm>

#include "base/error.h"
#include "graph/ir/order.h"
#include "graph/ops/cost_context.h"
#include "plan/problem/node_loop.h"

namespace hone {
namespace {

/// Bodies and function bodies are counted at most this deep; deeper ones add nothing to what is an estimate anyway.
constexpr int kDeepest = 16;

NodeCost cost_of_graph(const Model& model, const Graph& graph, const Opsets& opsets, int depth);

/// A node's own cost and that of what it runs inside; what has no static size adds nothing.
NodeCost cost_of_node(const Model& model, const Graph& graph, NodeId id, const Opsets& opsets, int depth) {
  const Node& node = graph.node(id);
  NodeCost total = node_cost(graph, id, opsets).value_or(NodeCost{});
  const auto add = [&](const Graph& inner, const Opsets& inner_opsets) {
    const NodeCost cost = cost_of_graph(model, inner, inner_opsets, depth + 1);
    total.flops += cost.flops;
    total.bytes += cost.bytes;
  };
  for (const Attribute& attribute : *node.attributes) {
    if (const auto* body = std::get_if<SharedGraph>(&attribute.value)) add(**body, opsets);
    if (const auto* bodies = std::get_if<std::vector<SharedGraph>>(&attribute.value))
      for (const SharedGraph& body : *bodies) add(*body, opsets);
  }
  if (const Function* function = model.function(node.op)) add(function->body, function->opsets);
  return total;
}

NodeCost cost_of_graph(const Model& model, const Graph& graph, const Opsets& opsets, int depth) {
  NodeCost total;
  if (depth > kDeepest) return total;
  for (const NodeId id : graph.nodes()) {
    const NodeCost cost = cost_of_node(model, graph, id, opsets, depth);
    total.flops += cost.flops;
    total.bytes += cost.bytes;
  }
  return total;
}

/// What a node computes in: the first floating type among its inputs, else the type of its first output.
ElementType element_of(const Graph& graph, const Node& node) {
  for (const ValueId input : node.written_inputs())
    if (input.valid() && is_floating(graph.value(input).type.element)) return graph.value(input).type.element;
  for (const ValueId output : node.outputs)
    if (output.valid() && graph.value(output).type.is_tensor()) return graph.value(output).type.element;
  return ElementType::float32;
}

class Lowering {
 public:
  explicit Lowering(const Model& model)
      : model_(model),
        graph_(model.graph),
        builder_(graph_.name.empty() ? model.source : graph_.name),
        buffer_of_(graph_.value_count()) {
    outputs_.assign(graph_.outputs().begin(), graph_.outputs().end());
    std::ranges::sort(outputs_);
  }

  Workload run() {
    for (const NodeId id : operation_nodes(graph_)) add_operation(id);
    return std::move(builder_).build();
  }

 private:
  /// Training graphs mark what comes after the loss.
  static bool is_backward(const Node& node) {
    return node.notes &&
           std::ranges::any_of(node.notes->metadata, [](const auto& entry) { return entry.first == "hone.pass"; });
  }

  BufferId add_buffer(ValueId id, Buffer::Kind kind, BufferId alias_of = {}) {
    const Value& value = graph_.value(id);
    if (value.type.is_tensor() && !value.type.is_static_tensor())
      fail("{}: tensor '{}' has type {}, planning needs its size: state the dimensions", model_.source, value.name,
           text_of(value.type));
    buffer_of_[id.index()] = builder_.add_buffer({
        .name = value.name,
        .bytes = static_cast<double>(byte_size(value.type).value_or(0)),
        .kind = kind,
        .is_output = std::ranges::binary_search(outputs_, id),
        .alias_of = alias_of,
    });
    return buffer_of_[id.index()];
  }

  /// The buffer of a value that is read; one for a weight or an input is made at its first reader.
  BufferId buffer_of(ValueId id) {
    if (buffer_of_[id.index()].valid()) return buffer_of_[id.index()];
    const Value& value = graph_.value(id);
    const bool weight = value.constant.has_value() || value.producer.valid();
    return add_buffer(id, weight ? Buffer::Kind::weight : Buffer::Kind::input);
  }

  void add_operation(NodeId id) {
    const Node& node = graph_.node(id);
    const OpEntry* entry = OpTable::instance().find(node.op);
    std::vector<BufferId> inputs, outputs;
    for (const ValueId input : node.inputs)
      if (input.valid()) inputs.push_back(buffer_of(input));
    for (std::size_t slot = 0; slot < node.outputs.size(); ++slot)
      if (node.outputs[slot].valid())
        outputs.push_back(add_buffer(node.outputs[slot], Buffer::Kind::activation, alias_of(node, entry, slot)));
    const NodeCost cost = cost_of_node(model_, graph_, id, model_.opsets, 0);
    builder_.add_operation({.name = node.name.empty() ? first_output_name(node) : node.name,
                            .op = node.op->text(),
                            .operation_class = operation_class_of(node),
                            .element = element_of(graph_, node),
                            .flops = cost.flops,
                            .bytes = cost.bytes,
                            .backward = is_backward(node),
                            .loop = loop_of(model_, id)},
                           inputs, outputs);
  }

  BufferId alias_of(const Node& node, const OpEntry* entry, std::size_t slot) {
    if (entry == nullptr) return {};
    for (const Alias& alias : entry->aliases)
      if (alias.output == slot && alias.input < node.written_inputs().size() && node.inputs[alias.input].valid())
        return buffer_of(node.inputs[alias.input]);
    return {};
  }

  std::string first_output_name(const Node& node) const {
    for (const ValueId output : node.outputs)
      if (output.valid()) return graph_.value(output).name;
    return node.op->name;
  }

  const Model& model_;
  const Graph& graph_;
  WorkloadBuilder builder_;
  std::vector<BufferId> buffer_of_;  // by value
  std::vector<ValueId> outputs_;     // sorted
};

}  // namespace

OperationClass operation_class_of(const Node& node) {
  const OpEntry* entry = OpTable::instance().find(node.op);
  if (entry == nullptr) return OperationClass::opaque;
  switch (entry->kind) {
    case OpKind::pointwise: return OperationClass::pointwise;
    case OpKind::reduction: return OperationClass::reduction;
    case OpKind::movement: return OperationClass::movement;
    case OpKind::view: return OperationClass::view;
    case OpKind::opaque: return OperationClass::opaque;
    case OpKind::contraction: break;
  }
  const bool has_window = std::ranges::any_of(
      entry->attributes, [](const AttributeSpec& attribute) { return attribute.name == "kernel_shape"; });
  return has_window ? OperationClass::convolution : OperationClass::matmul;
}

Workload lower(const Model& model) { return Lowering(model).run(); }

std::vector<NodeId> operation_nodes(const Graph& graph) {
  std::vector<NodeId> nodes = topological_order(graph);
  // A constant written as a node is a weight like any other.
  std::erase_if(nodes, [&graph](NodeId id) { return graph.node(id).op->is("Constant"); });
  return nodes;
}

}  // namespace hone
