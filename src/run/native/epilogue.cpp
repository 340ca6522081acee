#include "run/native/epilogue.h"

#include "graph/ops/evaluate.h"

namespace hone::native {
namespace {

using dnnl::algorithm;

/// A function of oneDNN that an operator is.
struct FunctionOf {
  algorithm function = algorithm::undef;
  float alpha = 0, beta = 0;
};

std::optional<FunctionOf> clip_function(const Lowering& lowering, const Node& node, const NodeReader& reader) {
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();
  if (reader.version() < 11) {
    if (reader.has_attribute("min")) low = reader.number("min");
    if (reader.has_attribute("max")) high = reader.number("max");
  } else {
    for (const auto& [input, bound] : {std::pair(std::size_t{1}, &low), std::pair(std::size_t{2}, &high)}) {
      if (!reader.has_input(input)) continue;
      const Tensor* given = lowering.constant(node.inputs[input]);
      if (given == nullptr || given->count() != 1) return std::nullopt;
      *bound = static_cast<float>(given->number_at(0));
    }
  }
  return FunctionOf{algorithm::eltwise_clip, low, high};
}

/// A product with a constant number, or a quotient.
std::optional<FunctionOf> scaling_of(const Lowering& lowering, const Node& node) {
  if ((!node.op->is("Mul") && !node.op->is("Div")) || node.inputs.size() != 2) return std::nullopt;
  const Tensor* factor = lowering.constant(node.inputs[1]);
  if (factor == nullptr || factor->count() != 1 || factor->type() != ElementType::float32) return std::nullopt;
  if (factor->rank() > lowering.dims(node.inputs[0]).size()) return std::nullopt;
  const auto number = static_cast<float>(factor->number_at(0));
  return FunctionOf{algorithm::eltwise_linear, node.op->is("Mul") ? number : 1 / number};
}

std::optional<FunctionOf> function_of(const Lowering& lowering, NodeId id) {
  const Node& node = lowering.graph().node(id);
  const Definition definition = definition_of(node, lowering.model().opsets);
  if (definition.entry == nullptr || !node.op->domain.empty()) return std::nullopt;
  const NodeReader reader(*definition.entry, node, definition.version);
  if (node.op->is("Relu")) return FunctionOf{algorithm::eltwise_relu};
  if (node.op->is("LeakyRelu")) return FunctionOf{algorithm::eltwise_relu, reader.number("alpha")};
  if (node.op->is("Sigmoid")) return FunctionOf{algorithm::eltwise_logistic};
  if (node.op->is("Tanh")) return FunctionOf{algorithm::eltwise_tanh};
  if (node.op->is("Gelu"))
    return FunctionOf{reader.text("approximate") == "tanh" ? algorithm::eltwise_gelu_tanh
                                                           : algorithm::eltwise_gelu_erf};
  if (node.op->is("HardSwish")) return FunctionOf{algorithm::eltwise_hardswish};
  if (node.op->is("Clip")) return clip_function(lowering, node, reader);
  return scaling_of(lowering, node);
}

/// What the product of a value with this function of it is.
std::optional<FunctionOf> gated_function(const Lowering& lowering, const Node& gate) {
  const Definition definition = definition_of(gate, lowering.model().opsets);
  if (definition.entry == nullptr || !gate.op->domain.empty()) return std::nullopt;
  if (gate.op->is("Sigmoid")) return FunctionOf{algorithm::eltwise_swish, 1};
  if (!gate.op->is("HardSigmoid")) return std::nullopt;
  const NodeReader reader(*definition.entry, gate, definition.version);
  const bool is_usual = reader.number("alpha") == 1.0F / 6 && reader.number("beta") == 0.5F;
  return is_usual ? std::optional(FunctionOf{algorithm::eltwise_hardswish}) : std::nullopt;
}

/// A value times a function of itself, as swish is written where it is no operator.
struct Gated {
  FunctionOf function;
  NodeId gate, product;
};

std::optional<Gated> gated_by_itself(const Lowering& lowering, ValueId value) {
  const Graph& graph = lowering.graph();
  const auto users = graph.users(value);
  if (users.size() != 2 || graph.is_output(value)) return std::nullopt;
  for (const std::size_t i : {0, 1}) {
    const NodeId gate = users[i].node, product = users[1 - i].node;
    if (!graph.node(product).op->is("Mul") || !lowering.is_pending(gate) || !lowering.is_pending(product)) continue;
    const auto function = gated_function(lowering, graph.node(gate));
    if (function && lowering.only_reader(graph.node(gate).outputs[0]) == product)
      return Gated{*function, gate, product};
  }
  return std::nullopt;
}

/// What is added to a result; nothing where it is not there yet or has another shape. A vector along the last axis, or
/// one number a channel, may have any number of axes of one element.
std::optional<ValueId> addend_of(const Lowering& lowering, NodeId id, ValueId result) {
  const Node& node = lowering.graph().node(id);
  if (!node.op->is("Add") || node.inputs.size() != 2) return std::nullopt;
  const ValueId other = node.inputs[0] == result ? node.inputs[1] : node.inputs[0];
  if (other == result || !lowering.is_stored(other)) return std::nullopt;
  if (!(lowering.dims(other) == lowering.dims(result))) return std::nullopt;
  return other;
}

}  // namespace

std::string Following::text(const Graph& graph) const {
  std::string text;
  for (const std::vector<NodeId>& of_step : nodes)
    for (const NodeId id : of_step) text += "+" + graph.node(id).op->name;
  return text;
}

void Following::mark_done(Lowering& lowering) const {
  for (const std::vector<NodeId>& of_step : nodes)
    for (const NodeId id : of_step) lowering.mark_done(id);
}

Following following_of(Lowering& lowering, ValueId result, const LoopView& view) {
  Following following{.first = result};
  if (lowering.options().epilogues == Epilogues::apart) return following;
  const auto add_function = [&](const FunctionOf& function) {
    following.steps.push_back(
        {.function = function.function, .alpha = function.alpha, .beta = function.beta, .operand = {}, .view = {}});
  };
  for (;;) {
    if (const auto gated = gated_by_itself(lowering, following.result())) {
      add_function(gated->function);
      following.nodes.push_back({gated->gate, gated->product});
      following.results.push_back(lowering.graph().node(gated->product).outputs[0]);
      continue;
    }
    const auto reader = lowering.only_reader(following.result());
    if (!reader) return following;
    const Node& node = lowering.graph().node(*reader);
    if (const auto function = function_of(lowering, *reader); function && node.inputs[0] == following.result()) {
      add_function(*function);
    } else if (const auto addend = addend_of(lowering, *reader, following.result())) {
      const Stored there = lowering.laid_out(*addend, view);
      if (!onednn_layout(there.view)) return following;
      following.steps.push_back({.kind = Epilogue::Kind::add, .operand = there.place(), .view = there.view});
    } else {
      return following;
    }
    following.nodes.push_back({*reader});
    following.results.push_back(node.outputs[0]);
  }
}

}  // namespace hone::native
