#include "run/native/fold_normalization.h"

#include <cmath>

#include "graph/ops/evaluate.h"

namespace hone::native {
namespace {

/// Factor and summand by channel.
struct ChannelLine {
  Tensor factor, summand;
};

std::optional<ChannelLine> line_of(const Graph& graph, const Node& node, const NodeReader& reader) {
  if (reader.version() < 9 || (reader.version() >= 14 && reader.integer("training_mode") != 0)) return std::nullopt;
  for (std::size_t i = 1; i < node.outputs.size(); ++i)
    if (node.outputs[i].valid()) return std::nullopt;
  const Type& type = graph.value(node.inputs[0]).type;
  if (type.element != ElementType::float32 || !type.is_static_tensor() || type.shape.size() < 2) return std::nullopt;
  for (std::size_t i = 1; i < 5; ++i)
    if (!graph.value(node.inputs[i]).constant || graph.is_input(node.inputs[i])) return std::nullopt;
  const auto at = [&](std::size_t input, std::size_t channel) {
    return graph.value(node.inputs[input]).constant->number_at(channel);
  };
  Dims dims(type.shape.size() - 1, 1);
  dims[0] = type.shape[1].value();
  ChannelLine line{Tensor::zeros(ElementType::float32, dims), Tensor::zeros(ElementType::float32, dims)};
  const double epsilon = reader.number("epsilon");
  for (std::size_t channel = 0; channel < line.factor.count(); ++channel) {
    const double factor = at(1, channel) / std::sqrt(at(4, channel) + epsilon);
    line.factor.set_number(channel, factor);
    line.summand.set_number(channel, at(2, channel) - at(3, channel) * factor);
  }
  return line;
}

}  // namespace

std::map<NodeId, std::vector<NodeId>> fold_normalizations(Model& model) {
  Graph& graph = model.graph;
  std::map<NodeId, std::vector<NodeId>> replaced;
  for (const NodeId id : graph.nodes()) {
    const Node node = graph.node(id);
    if (!node.op->is("BatchNormalization") || !node.op->domain.empty()) continue;
    const Definition definition = definition_of(node, model.opsets);
    if (definition.entry == nullptr) continue;
    const auto line = line_of(graph, node, NodeReader(*definition.entry, node, definition.version));
    if (!line) continue;
    const ValueId output = node.outputs[0];
    const std::string name = graph.value(output).name;
    const Type type = graph.value(output).type;
    const auto constant = [&](const Tensor& tensor, std::string_view what) {
      const ValueId added = graph.add_constant(name + "_" + std::string(what), tensor);
      graph.set_type(added, Type::tensor(tensor.type(), tensor.shape()));
      return added;
    };
    const ValueId factor = constant(line->factor, "factor"), summand = constant(line->summand, "summand");
    graph.detach_output(id, 0);
    const ValueId scaled =
        graph.add(OpName::intern("", "Mul"), std::vector<ValueId>{node.inputs[0], factor}, {}, node.name);
    graph.set_type(scaled, type);
    const NodeId shifted = graph.add_node(OpName::intern("", "Add"), std::vector<ValueId>{scaled, summand},
                                          std::vector<ValueId>{output}, {}, node.name);
    graph.remove_node(id);
    replaced[id] = {graph.value(scaled).producer, shifted};
  }
  return replaced;
}

}  // namespace hone::native
