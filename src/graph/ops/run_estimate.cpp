#include "graph/ops/run_estimate.h"

#include <algorithm>

#include "graph/ir/order.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate.h"

namespace hone {
namespace {

constexpr double kWidened = 8;         // bytes of an element while sums are taken, in double
constexpr double kMostCounted = 1e15;  // elements beyond which costs of operators would overflow

/// Elements of a tensor with static dims, else 0. A product that overflows integers is no obstacle.
double elements_of(const Type& type) {
  if (!type.is_static_tensor()) return 0;
  double count = 1;
  for (const Dim dim : type.shape) count *= static_cast<double>(std::max<std::int64_t>(dim.value(), 0));
  return count;
}

double bytes_of(const Type& type) {
  constexpr double kText = 8 * sizeof(std::string);
  const int bits = bit_width(type.element);
  return elements_of(type) * (bits == 0 ? kText : bits) / 8;
}

/// Walks one graph in the order in which it runs and keeps the balance of what is alive.
class GraphEstimate {
 public:
  GraphEstimate(const Graph& graph, const Opsets& opsets)
      : graph_(graph), opsets_(opsets), readers_left_(graph.value_count(), 0) {}

  RunEstimate run() {
    const std::vector<NodeId> order = topological_order(graph_);
    for (const NodeId id : order)
      for (const ValueId input : graph_.node(id).inputs)
        if (input.valid()) ++readers_left_[input.index()];
    for (const ValueId output : graph_.outputs()) ++readers_left_[output.index()];
    for (const ValueId id : graph_.initializers()) total_.weight_bytes += bytes_of(graph_.value(id).type);
    for (const ValueId id : graph_.inputs())
      if (!graph_.value(id).constant) alive_ += bytes_of(graph_.value(id).type);
    total_.peak_bytes = alive_;
    for (const NodeId id : order) count(id);
    return total_;
  }

 private:
  void count(NodeId id) {
    const Node& node = graph_.node(id);
    double touched = 0;
    for (const ValueId input : node.written_inputs())
      if (input.valid()) touched += elements_of(graph_.value(input).type);
    for (const ValueId output : node.outputs) {
      if (!output.valid()) continue;
      touched += elements_of(graph_.value(output).type);
      alive_ += bytes_of(graph_.value(output).type);
    }
    const OpEntry* entry = definition_of(node, opsets_).entry;
    const bool sums = entry && (entry->kind == OpKind::contraction || entry->kind == OpKind::reduction);
    double working = sums ? kWidened * touched : 0;
    for (const Attribute& attribute : *node.attributes)
      if (const auto* body = std::get_if<SharedGraph>(&attribute.value)) working += count_body(node, **body);
    total_.operations += touched;
    if (touched < kMostCounted)
      if (const std::optional<NodeCost> cost = node_cost(graph_, id, opsets_)) total_.operations += cost->flops;
    total_.peak_bytes = std::max(total_.peak_bytes, alive_ + working);
    release(node);
  }

  /// Adds what a body takes to the total; returns the bytes that are alive inside.
  double count_body(const Node& node, const Graph& body) {
    const RunEstimate inside = GraphEstimate(body, opsets_).run();
    total_.weight_bytes += inside.weight_bytes;
    total_.operations += inside.operations * trips(node);
    return inside.peak_bytes;
  }

  double trips(const Node& node) const {
    const auto inputs = node.written_inputs();
    if (inputs.empty() || !inputs.front().valid() || !inputs.back().valid()) return 1;
    if (node.op->is("Loop")) {
      const std::optional<Tensor>& limit = graph_.value(inputs.front()).constant;
      return limit && limit->count() == 1 ? std::max(1.0, limit->number_at(0)) : 1;
    }
    const Type& scanned = graph_.value(inputs.back()).type;  // by default along its first axis
    if (!node.op->is("Scan") || !scanned.is_static_tensor() || scanned.shape.empty()) return 1;
    return static_cast<double>(std::max<std::int64_t>(scanned.shape[0].value(), 1));
  }

  void release(const Node& node) {
    for (const ValueId output : node.outputs)
      if (output.valid() && readers_left_[output.index()] == 0) alive_ -= bytes_of(graph_.value(output).type);
    for (const ValueId input : node.inputs) {
      if (!input.valid() || --readers_left_[input.index()] > 0) continue;
      if (graph_.value(input).producer.valid()) alive_ -= bytes_of(graph_.value(input).type);
    }
  }

  const Graph& graph_;
  const Opsets& opsets_;
  std::vector<std::uint32_t> readers_left_;
  double alive_ = 0;  // bytes
  RunEstimate total_;
};

}  // namespace

RunEstimate estimate_run(const Model& model) { return GraphEstimate(model.graph, model.opsets).run(); }

}  // namespace hone
