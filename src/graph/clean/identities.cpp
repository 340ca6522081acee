#include <algorithm>
#include <string_view>

#include "graph/clean/all_graphs.h"
#include "graph/clean/clean.h"
#include "graph/ir/order.h"
#include "graph/ops/evaluate.h"
#include "graph/ops/op.h"

namespace hone {
namespace {

/// Operators that give back their first input when its type is that of the output, whatever their other inputs are.
constexpr std::string_view kSameWhenTypesAgree[] = {"Identity",  "Cast",    "CastLike", "Reshape", "Squeeze",
                                                    "Unsqueeze", "Flatten", "Expand",   "Slice",   "Tile"};

/// Whether the operator joins any number of inputs, which does nothing to a single one.
bool joins_inputs(const OpEntry& entry) {
  return entry.inputs.max == kMany && (entry.kind == OpKind::pointwise || entry.kind == OpKind::movement);
}

class IdentityFinder {
 public:
  IdentityFinder(const Model& model, const Graph& graph) : model_(model), graph_(graph) {}

  /// The input slot that the node's first output equals, if any.
  std::optional<std::size_t> passes_through(NodeId id) const {
    const Node& node = graph_.node(id);
    if (!node.op->domain.empty() || node.written_inputs().empty() || !node.inputs[0].valid()) return std::nullopt;
    if (node.outputs.empty() || !node.outputs[0].valid() || model_.function(node.op) != nullptr) return std::nullopt;
    const std::string_view op = node.op->name;
    if (op == "Identity" || (op == "Dropout" && is_inference_dropout(node))) return 0;
    const OpEntry* entry = OpTable::instance().find(node.op);
    const bool alone = node.written_inputs().size() == 1 && entry != nullptr && joins_inputs(*entry);
    if (alone || (op == "Split" && node.outputs.size() == 1))
      return same_type(node, 0) ? std::optional<std::size_t>(0) : std::nullopt;
    if (std::ranges::find(kSameWhenTypesAgree, op) != std::end(kSameWhenTypesAgree))
      return keeps_elements(node) ? std::optional<std::size_t>(0) : std::nullopt;
    if (op == "Transpose" && is_identity_permutation(node)) return 0;
    if (op == "Pad" && pads_nothing(node)) return 0;
    return neutral_arithmetic(node);
  }

 private:
  const Type& type(ValueId id) const { return graph_.value(id).type; }

  /// The constant behind an input of a node; null when there is none, or when it is a default that callers may
  /// override.
  const Tensor* constant(const Node& node, std::size_t slot) const {
    if (slot >= node.written_inputs().size() || !node.inputs[slot].valid()) return nullptr;
    const Value& value = graph_.value(node.inputs[slot]);
    const bool fixed = value.constant && (model_.ir_version.value_or(4) < 4 || !graph_.is_input(node.inputs[slot]));
    return fixed ? &*value.constant : nullptr;
  }

  bool same_type(const Node& node, std::size_t slot) const {
    const Type &in = type(node.inputs[slot]), &out = type(node.outputs[0]);
    if (!in.is_tensor() || !out.is_tensor() || in.element != out.element || !in.ranked || !out.ranked) return false;
    return in.shape == out.shape && std::ranges::none_of(in.shape, [](Dim d) { return d.unknown(); });
  }

  /// Same type in and out. A Slice that steps backwards keeps the shape but not the elements.
  bool keeps_elements(const Node& node) const {
    if (!same_type(node, 0)) return false;
    if (node.op->name != "Slice" || node.written_inputs().size() < 5 || !node.inputs[4].valid()) return true;
    const Tensor* steps = constant(node, 4);
    return steps != nullptr && std::ranges::all_of(steps->integers(), [](std::int64_t step) { return step > 0; });
  }

  bool is_inference_dropout(const Node& node) const {
    const bool mask_read = node.outputs.size() > 1 && node.outputs[1].valid() &&
                           (!graph_.users(node.outputs[1]).empty() || graph_.is_output(node.outputs[1]));
    if (mask_read) return false;
    // Before opset 7 an attribute chose the mode, 7 to 11 have none, from 12 on an input does.
    if (definition_of(node, model_.opsets).version < 7) {
      const Attribute* is_test = node.attribute("is_test");
      const auto* value = is_test ? std::get_if<std::int64_t>(&is_test->value) : nullptr;
      return value != nullptr && *value != 0;
    }
    if (node.written_inputs().size() < 3 || !node.inputs[2].valid()) return true;
    const Tensor* training = constant(node, 2);
    return training != nullptr && training->count() == 1 && training->integer_at(0) == 0;
  }

  bool is_identity_permutation(const Node& node) const {
    const Attribute* given = node.attribute("perm");
    const auto* perm = given ? std::get_if<std::vector<std::int64_t>>(&given->value) : nullptr;
    if (perm == nullptr) return type(node.inputs[0]).ranked && type(node.inputs[0]).shape.size() <= 1;
    for (std::size_t i = 0; i < perm->size(); ++i)
      if ((*perm)[i] != static_cast<std::int64_t>(i)) return false;
    return true;
  }

  bool pads_nothing(const Node& node) const {
    if (!same_type(node, 0)) return false;
    const Attribute* attribute = node.attribute("pads");
    const auto all_zero = [](const std::vector<std::int64_t>& pads) {
      return std::ranges::all_of(pads, [](std::int64_t pad) { return pad == 0; });
    };
    if (const auto* given = attribute ? std::get_if<std::vector<std::int64_t>>(&attribute->value) : nullptr)
      return all_zero(*given);
    const Tensor* wanted = constant(node, 1);
    return wanted != nullptr && all_zero(wanted->integers());
  }

  bool is_number(const Node& node, std::size_t slot, double wanted) const {
    const Tensor* tensor = constant(node, slot);
    if (tensor == nullptr || tensor->count() != 1) return false;
    if (is_complex(tensor->type()) || tensor->type() == ElementType::string) return false;
    return tensor->number_at(0) == wanted;
  }

  /// x * 1, 1 * x, x / 1, x - 0, x + 0, 0 + x, x ^ 1 for a single-element constant that does not stretch x.
  std::optional<std::size_t> neutral_arithmetic(const Node& node) const {
    if (node.written_inputs().size() != 2 || !node.inputs[1].valid()) return std::nullopt;
    const std::string_view op = node.op->name;
    const bool product = op == "Mul" || op == "Div" || op == "Pow", sum = op == "Add" || op == "Sub";
    if (!product && !sum) return std::nullopt;
    const double neutral = product ? 1 : 0;
    if (is_number(node, 1, neutral) && same_type(node, 0)) return 0;
    const OpEntry* entry = OpTable::instance().find(node.op);
    if (entry != nullptr && entry->commutative && is_number(node, 0, neutral) && same_type(node, 1)) return 1;
    return std::nullopt;
  }

  const Model& model_;
  const Graph& graph_;
};

/// Makes every reader of `output` read `input`. A graph output keeps its value and name, so there the input's producer
/// takes over writing it; where nobody can (an input that is returned as it is), the node stays. It also stays where
/// others read the input, as fusions of runtimes may take a value away that is read and an output as well: ONNX Runtime
/// 1.30 dies of a Transpose that is an output and read by a Gemm.
bool bypass(Graph& graph, NodeId id, ValueId input) {
  const ValueId output = graph.node(id).outputs[0];
  if (!graph.is_output(output)) {
    graph.replace_uses(output, input);
    graph.remove_node(id);
    return true;
  }
  const NodeId producer = graph.value(input).producer;
  if (!producer.valid() || graph.is_output(input) || graph.users(input).size() > 1) return false;
  const std::uint32_t slot = graph.value(input).slot;
  for (std::size_t i = 0; i < graph.node(id).outputs.size(); ++i) graph.detach_output(id, i);
  graph.remove_node(id);
  graph.replace_uses(input, output);
  graph.attach_output(producer, slot, output);
  return true;
}

}  // namespace

std::size_t remove_identities(Model& model) {
  return change_all_graphs(model, [&](Graph& graph) {
    std::size_t removed = 0;
    for (const NodeId id : topological_order(graph)) {
      const auto slot = IdentityFinder(model, graph).passes_through(id);
      if (slot && bypass(graph, id, graph.node(id).inputs[*slot])) ++removed;
    }
    return removed;
  });
}

}  // namespace hone
