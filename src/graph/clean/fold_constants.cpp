#include <algorithm>
#include <optional>

#include "base/hash.h"
#include "graph/clean/clean.h"
#include "graph/ir/bodies.h"
#include "graph/ir/order.h"
#include "graph/ops/copy.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate.h"
#include "graph/ops/infer.h"

namespace hone {
namespace {

/// Kept even when constant: runtimes recognise quantised operators by the Q/DQ nodes around them, and the quantised
/// weight is the small one.
bool is_quantization(const Node& node) {
  return node.op->name == "DequantizeLinear" || node.op->name == "QuantizeLinear";
}

constexpr std::size_t kLargeBytes = 64 * 1024;

/// Operators that only move elements, which nothing can be wrong with once types are known.
bool only_moves(const OpName& op) { return op.domain.empty() && (op.name == "Transpose" || op.name == "Concat"); }

/// Hash of attributes that are whole numbers; nothing where there are others.
std::optional<std::uint64_t> hash_of(const Attributes& attributes) {
  std::uint64_t hash = 0;
  for (const Attribute& attribute : attributes) {
    std::uint64_t one = hash_text(attribute.name);
    if (const auto* number = std::get_if<std::int64_t>(&attribute.value)) {
      one = mix(one, static_cast<std::uint64_t>(*number));
    } else if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&attribute.value)) {
      for (const std::int64_t each : *numbers) one = mix(one, static_cast<std::uint64_t>(each));
    } else {
      return std::nullopt;
    }
    hash += one;  // in whatever order they stand
  }
  return hash;
}

class Folder {
 public:
  Folder(const Model& model, Graph& graph, const CleanOptions& options)
      : model_(model), graph_(graph), options_(options), pinned_(graph.value_count(), false) {
    for (const ValueId id : graph.outputs()) pinned_[id.index()] = true;
    // From IR 4 on, an initialiser that is also an input is only a default.
    if (model.ir_version.value_or(4) >= 4)
      for (const ValueId id : graph.inputs()) pinned_[id.index()] = true;
  }

  /// `known` holds values inference is certain of, by value; empty for bodies.
  std::size_t run(const KnownContents& known) {
    std::size_t folded = 0;
    for (const NodeId id : topological_order(graph_)) {
      const auto outputs = known_outputs(id, known);
      if (outputs ? replace(id, *outputs) : fold(id)) ++folded;
    }
    return folded;
  }

 private:
  bool is_constant(ValueId id) const { return graph_.value(id).constant.has_value() && !pinned_[id.index()]; }

  /// The outputs when inference already knows them all, as in shape arithmetic.
  std::optional<std::vector<Datum>> known_outputs(NodeId id, const KnownContents& known) const {
    if (is_quantization(graph_.node(id))) return std::nullopt;
    std::vector<Datum> outputs;
    for (const ValueId output : graph_.node(id).outputs) {
      if (output.valid() && (output.index() >= known.tensors.size() || !known.tensors[output.index()]))
        return std::nullopt;
      outputs.push_back(output.valid() ? Datum(*known.tensors[output.index()]) : Datum());
    }
    return outputs;
  }

  bool fold(NodeId id) {
    const Node& node = graph_.node(id);
    const OpEntry* entry = definition_of(node, model_.opsets).entry;
    if (model_.function(node.op) != nullptr || entry == nullptr || entry->evaluate == nullptr) return false;
    if (!entry->deterministic || node.captured > 0 || is_quantization(node) || holds_body(node)) return false;
    for (const ValueId input : node.inputs)
      if (input.valid() && !is_constant(input)) return false;
    if (!worth_its_bytes(node) || !worth_its_time(id)) return false;
    if (const std::optional<Tensor> later = computed_later(id)) return replace(id, {Datum(*later)});
    std::vector<Datum> inputs;
    for (const ValueId input : node.inputs)
      inputs.push_back(input.valid() ? Datum(graph_.value(input).constant->aligned()) : Datum());
    try {
      return replace(id, evaluate(graph_, id, model_.opsets, inputs));
    } catch (const InputError&) {
      return false;  // fails at run time instead, as it would have without us
    }
  }

  /// A large weight whose elements only move is computed when somebody asks for it.
  std::optional<Tensor> computed_later(NodeId id) const {
    const Node& node = graph_.node(id);
    const std::optional<std::uint64_t> attributes = hash_of(*node.attributes);
    if (!only_moves(*node.op) || !attributes || node.outputs.size() != 1 || !node.outputs[0].valid())
      return std::nullopt;
    const Type& type = graph_.value(node.outputs[0]).type;
    const bool is_plain = type.is_static_tensor() && bit_width(type.element) >= 8 && is_floating(type.element);
    if (!is_plain || byte_size(type).value_or(0) < kLargeBytes) return std::nullopt;
    std::uint64_t likeness = mix(hash_text(node.op->name), *attributes);
    auto alone = std::make_shared<Graph>();
    std::vector<Datum> inputs;
    std::vector<ValueId> places;
    for (const ValueId input : node.inputs) {
      if (!input.valid()) return std::nullopt;
      const Tensor& tensor = *graph_.value(input).constant;
      likeness = mix(likeness, tensor.likeness());
      inputs.push_back(Datum(tensor));
      places.push_back(alone->add_value(graph_.value(input).name));
    }
    const ValueId output = alone->add_value(graph_.value(node.outputs[0]).name);
    const NodeId only = alone->add_node(node.op, places, {&output, 1}, *node.attributes, node.name);
    return Tensor::deferred(type.element, static_dims(type.shape), likeness,
                            [alone, only, opsets = model_.opsets, inputs]() mutable {
                              for (Datum& input : inputs) input = Datum(input.tensor().aligned());
                              return evaluate(*alone, only, opsets, inputs)[0].tensor();
                            });
  }

  static bool holds_body(const Node& node) {
    return std::ranges::any_of(*node.attributes, [](const Attribute& attribute) {
      return std::holds_alternative<SharedGraph>(attribute.value);
    });
  }

  /// Bytes are known before anything is computed; a folded constant may not outgrow what it replaces by much.
  bool worth_its_bytes(const Node& node) const {
    std::uint64_t replaced = options_.fold_bytes;
    for (const ValueId input : node.inputs)
      if (input.valid() && graph_.users(input).size() == 1) replaced += graph_.value(input).constant->byte_count();
    std::uint64_t made = 0;
    for (const ValueId output : node.outputs) {
      if (!output.valid()) continue;
      const Type& type = graph_.value(output).type;
      const std::optional<std::uint64_t> bytes = byte_size(type);
      const bool text = type.is_static_tensor() && type.element == ElementType::string;
      if (!bytes && !text) return node.inputs.empty();  // a Constant node holds its value already
      made += bytes.value_or(0);
    }
    return node.inputs.empty() || made <= replaced;
  }

  /// Folding is done by the reference interpreter, which is slow.
  bool worth_its_time(NodeId id) const {
    const std::optional<NodeCost> cost = node_cost(graph_, id, model_.opsets);
    return !cost || cost->flops <= options_.fold_flops;
  }

  bool replace(NodeId id, const std::vector<Datum>& outputs) {
    const Node& node = graph_.node(id);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const ValueId output = node.outputs[i];
      if (!output.valid()) continue;
      if (pinned_[output.index()] || i >= outputs.size() || !outputs[i].is_tensor()) return false;
    }
    const SmallVector<ValueId, 1> values = node.outputs;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!values[i].valid()) continue;
      graph_.detach_output(id, i);
      graph_.set_constant(values[i], outputs[i].tensor());
    }
    graph_.remove_node(id);
    return true;
  }

  const Model& model_;
  Graph& graph_;
  const CleanOptions& options_;
  std::vector<bool> pinned_;
};

std::size_t fold_graph(const Model& model, Graph& graph, const CleanOptions& options, const KnownContents& known) {
  std::size_t changes =
      change_bodies(graph, [&](const Node&, Graph& body) { return fold_graph(model, body, options, {}) > 0; });
  return changes + Folder(model, graph, options).run(known);
}

}  // namespace

std::size_t fold_constants(Model& model, const CleanOptions& options) {
  const KnownContents known = infer_types(model);
  Graph graph = model.graph;
  const std::size_t changes = fold_graph(model, graph, options, known);
  model.graph = std::move(graph);
  return changes;
}

}  // namespace hone
