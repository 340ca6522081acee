#include "run/profile/isolate.h"

#include <algorithm>
#include <set>

#include "base/random.h"
#include "graph/ops/infer.h"

namespace hone {
namespace {

constexpr const char* kFrameInput = "hone.frame.in";
constexpr const char* kFrameOutput = "hone.frame.out";

/// Values one run has to show: what nodes read that is not floating-point, and whatever has no static type.
std::set<ValueId> values_to_observe(const Graph& graph) {
  std::set<ValueId> wanted;
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    const auto consider = [&](ValueId value_id, bool is_read) {
      if (!value_id.valid() || graph.value(value_id).constant) return;
      const Type& type = graph.value(value_id).type;
      const bool is_tensor = type.kind == Type::Kind::tensor || type.kind == Type::Kind::unknown;
      if (is_tensor && (!type.is_static_tensor() || (is_read && !is_floating(type.element)))) wanted.insert(value_id);
    };
    for (const ValueId input : node.inputs) consider(input, true);
    for (const ValueId output : node.outputs) consider(output, false);
  }
  return wanted;
}

Type type_of(const Tensor& tensor) { return Type::tensor(tensor.type(), tensor.shape()); }

/// Keeps a value's type, and its contents where they may matter.
void learn(ObservedGraph& graph, ValueId id, const Tensor& tensor) {
  graph.model.graph.set_type(id, type_of(tensor));
  if (!is_floating(tensor.type())) graph.contents.insert_or_assign(id, tensor);
}

/// Runs the graph with all values of `wanted` as outputs.
void observe(ObservedGraph& graph, const RuntimeHost& host, const std::vector<Datum>& inputs) {
  std::vector<ValueId> wanted;
  Model shown = graph.model;
  for (const ValueId id : values_to_observe(graph.model.graph)) {
    if (shown.graph.is_input(id)) continue;
    wanted.push_back(id);
    if (shown.graph.value(id).type.element == ElementType::undefined)
      shown.graph.set_type(id, {});  // the runtime knows
    if (!shown.graph.is_output(id)) shown.graph.add_output(id);
  }
  if (wanted.empty()) return;
  const std::unique_ptr<PreparedModel> prepared = host.prepare_as_written(shown);
  prepared->set_inputs(inputs);
  const std::vector<Datum> outputs = prepared->outputs();
  const auto ids = shown.graph.outputs();
  for (const ValueId id : wanted) {
    const auto place = static_cast<std::size_t>(std::ranges::find(ids, id) - ids.begin());
    if (place < outputs.size() && outputs[place].is_tensor()) learn(graph, id, outputs[place].tensor());
  }
}

Tensor random_tensor(const Type& type, Rng rng) {
  Dims dims;
  for (const Dim dim : type.shape) dims.push_back(dim.value());
  Tensor tensor = Tensor::zeros(type.element, dims);
  // A short pattern, repeated: what matters is only that numbers are ordinary.
  for (std::size_t i = 0; i < tensor.count(); ++i)
    tensor.set_number(i, i < 1021 ? rng.normal() : tensor.number_at(i - 1021));
  return tensor;
}

/// Bytes of a value; 0 when its type does not say.
double bytes_of(const Graph& graph, ValueId id) {
  return id.valid() ? static_cast<double>(byte_size(graph.value(id).type).value_or(0)) : 0;
}

/// Builds the model around a node.
class Isolation {
 public:
  explicit Isolation(const ObservedGraph& source) : source_(source), graph_(source.model.graph) {
    isolated_.model.opsets = source.model.opsets;
    isolated_.model.ir_version = source.model.ir_version;
    isolated_.model.functions = source.model.functions;
    Graph& made = isolated_.model.graph;
    made.name = "isolated";
    const ValueId frame = made.add_input(kFrameInput, Type::tensor(ElementType::float32, {1}));
    const ValueId result = made.add_value(kFrameOutput, Type::tensor(ElementType::float32, {1}));
    made.add_node(OpName::intern("", "Identity"), std::span(&frame, 1), std::span(&result, 1));
    made.add_output(result);
    isolated_.inputs.emplace_back(Tensor::of<float>({1}, {1}));
  }

  void add(NodeId id, std::size_t copies) {
    const Node& node = graph_.node(id);
    std::vector<ValueId> written, captured;
    for (const ValueId input : node.written_inputs()) written.push_back(operand(input));
    for (const ValueId input : node.captured_inputs()) captured.push_back(operand(input));
    Graph& made = isolated_.model.graph;
    for (std::size_t copy = 0; copy < copies; ++copy) {
      std::vector<ValueId> outputs;
      for (const ValueId output : node.outputs)
        outputs.push_back(output.valid() ? made.add_value(fmt::format("{}#{}", graph_.value(output).name, copy),
                                                          graph_.value(output).type)
                                         : ValueId());
      const NodeId added = made.add_node(node.op, written, outputs, *node.attributes, fmt::format("node#{}", copy));
      if (!captured.empty()) made.set_captured_inputs(added, captured);
    }
  }

  void add_trivial(std::size_t count) {
    Graph& made = isolated_.model.graph;
    const ValueId frame = made.inputs()[0];
    for (std::size_t i = 0; i < count; ++i) {
      const ValueId result = made.add_value(fmt::format("trivial#{}", i), made.value(frame).type);
      made.add_node(OpName::intern("", "Neg"), std::span(&frame, 1), std::span(&result, 1));
    }
  }

  Isolated take() && { return std::move(isolated_); }

 private:
  /// The value in the new graph that stands for one of the old: a constant, or an input with made-up contents.
  ValueId operand(ValueId id) {
    if (!id.valid()) return {};
    if (const auto it = known_.find(id); it != known_.end()) return it->second;
    const Value& value = graph_.value(id);
    Graph& made = isolated_.model.graph;
    if (value.constant) {
      isolated_.weight_bytes += bytes_of(graph_, id);
      return known_[id] = made.add_constant(value.name, *value.constant);
    }
    if (!value.type.is_static_tensor())
      fail("value '{}' of type {} cannot be made up", value.name, text_of(value.type));
    isolated_.activation_bytes += bytes_of(graph_, id);
    isolated_.inputs.push_back(contents(id, value));
    return known_[id] = made.add_input(value.name, value.type);
  }

  Tensor contents(ValueId id, const Value& value) const {
    const auto it = source_.contents.find(id);
    if (it != source_.contents.end()) return it->second;
    if (!is_floating(value.type.element)) fail("value '{}' was not observed", value.name);
    return random_tensor(value.type, Rng(id.index()));
  }

  const ObservedGraph& source_;
  const Graph& graph_;
  Isolated isolated_;
  std::map<ValueId, ValueId> known_;
};

}  // namespace

ObservedGraph observe_optimized(const RuntimeHost& host, const ModelToRun& model, const std::vector<Datum>& inputs) {
  ObservedGraph graph{.model = host.optimized(model), .contents = {}};
  infer_types(graph.model);
  const auto ids = graph.model.graph.inputs();
  for (std::size_t i = 0; i < ids.size() && i < inputs.size(); ++i)
    if (inputs[i].is_tensor()) learn(graph, ids[i], inputs[i].tensor());
  observe(graph, host, inputs);
  return graph;
}

Isolated isolate(const ObservedGraph& graph, NodeId id, std::size_t copies) {
  Isolation isolation(graph);
  isolation.add(id, copies);
  return std::move(isolation).take();
}

Isolated empty_frame(const ObservedGraph& graph, std::size_t trivial_nodes) {
  Isolation isolation(graph);
  isolation.add_trivial(trivial_nodes);
  return std::move(isolation).take();
}

}  // namespace hone
