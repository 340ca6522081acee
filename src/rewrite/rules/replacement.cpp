#include "rewrite/rules/replacement.h"

#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate.h"
#include "graph/ops/infer_context.h"
#include "rewrite/rules/normal_form.h"

namespace hone {
namespace {

/// Weight expressions up to these bounds are computed at once, so that rules and inference see their contents.
constexpr std::int64_t kMostElements = 4096;
constexpr double kMostFlops = 1e6;

using Ids = SmallVector<ValueId, 1>;

/// Builds the right side of one match.
class RightSide {
 public:
  RightSide(const Match& match, const RuleSetting& setting)
      : match_(match),
        rule_(*match.rule),
        graph_(*match.bindings.graph),
        setting_(setting),
        tensors_(match.bindings.tensors) {
    result_.rule = match.rule;
    result_.first_value = graph_.value_count();
    tensors_.resize(rule_.tensors.size());
  }

  std::optional<Replacement> run() {
    for (const RuleOperation& operation : rule_.right)
      if (!(operation.op == nullptr ? alias(operation) : build(operation))) return std::nullopt;
    find_removed();
    return std::move(result_);
  }

 private:
  bool is_output(std::size_t variable) const {
    return std::ranges::find(rule_.outputs, variable) != rule_.outputs.end();
  }

  const Type& type_of(ValueId id) const {
    return id.index() < result_.first_value ? graph_.value(id).type
                                            : result_.values[id.index() - result_.first_value].type;
  }
  const Tensor* contents_of(ValueId id) const {
    if (id.index() < result_.first_value) return fixed_contents(graph_, id, setting_.defaults);
    const std::optional<Tensor>& constant = result_.values[id.index() - result_.first_value].constant;
    return constant ? &*constant : nullptr;
  }

  ValueId add_value(Type type, std::optional<Tensor> constant = {}) {
    result_.values.push_back({.type = std::move(type), .constant = std::move(constant)});
    return ValueId(result_.first_value + result_.values.size() - 1);
  }
  ValueId add_constant(Tensor tensor) {
    Type type = Type::tensor(tensor.type(), tensor.shape());
    return add_value(std::move(type), std::move(tensor));
  }

  /// The output is the operand, under another name.
  bool alias(const RuleOperation& operation) {
    const Ids from = match_.bindings.tensors[operation.outputs[0]];
    const Ids to = tensors_[operation.operands[0].variable];
    if (from.size() != to.size()) return false;
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (!(type_of(from[i]) == type_of(to[i]))) return false;
      if (!graph_.is_output(from[i])) {
        result_.aliases.emplace_back(from[i], to[i]);
        continue;
      }
      Node copy;  // a graph output keeps its own value, so that its name stays
      copy.op = OpName::intern("", "Identity");
      copy.inputs = {to[i]};
      copy.outputs = {from[i]};
      copy.attributes = std::make_shared<const Attributes>();
      result_.nodes.push_back(std::move(copy));
    }
    tensors_[operation.outputs[0]] = to;
    return true;
  }

  bool build(const RuleOperation& operation) {
    if (operation.each) return build_each(operation);
    const std::optional<bool> absent = is_absent(operation);
    if (!absent) return false;
    if (*absent) {
      tensors_[operation.outputs[0]] = {};
      return true;
    }
    Ids inputs;
    for (const Operand& operand : operation.operands) {
      if (operand.list) {
        for (const ValueId id : tensors_[operand.variable]) inputs.push_back(id);
        continue;
      }
      const std::optional<ValueId> input = input_of(operation, operand, 0);
      if (!input) return false;
      inputs.push_back(*input);
    }
    while (!inputs.empty() && !inputs.back().valid()) inputs.pop_back();
    return add_node(operation, std::move(inputs), 0);
  }

  /// An operation over optional operands alone is absent where all of them are; nullopt when only some are.
  std::optional<bool> is_absent(const RuleOperation& operation) const {
    std::size_t absent = 0;
    for (const Operand& operand : operation.operands) {
      if (!operand.may_be_absent()) return false;
      absent += tensors_[operand.variable].empty() ? 1 : 0;
    }
    if (absent != 0 && absent != operation.operands.size()) return std::nullopt;
    return absent != 0;
  }

  bool build_each(const RuleOperation& operation) {
    std::size_t count = 0;
    for (const Operand& operand : operation.operands)
      if (operand.list) count = std::max(count, tensors_[operand.variable].size());
    if (!is_output(operation.outputs[0])) tensors_[operation.outputs[0]].clear();
    for (std::size_t i = 0; i < count; ++i) {
      Ids inputs;
      for (const Operand& operand : operation.operands) {
        const std::optional<ValueId> input = input_of(operation, operand, i);
        if (!input || !input->valid()) return false;
        inputs.push_back(*input);
      }
      if (!add_node(operation, std::move(inputs), i)) return false;
    }
    return true;
  }

  /// The value for an operand; no id for an absent one. Nullopt when it cannot be had.
  std::optional<ValueId> input_of(const RuleOperation& operation, const Operand& operand, std::size_t element) {
    const bool number = operand.kind == Operand::Kind::number;
    if (!number) {
      const Ids& ids = tensors_[operand.variable];
      const std::size_t place = operand.list ? element : 0;
      if (place < ids.size()) return ids[place];
      if (!operand.optional || !ids.empty()) return std::nullopt;
      if (!operand.fallback) return ValueId();
    }
    const auto value = known_number(evaluate(operand.number, match_.bindings));
    const std::optional<ElementType> element_type = element_type_of(operation);
    if (!value || !element_type) return std::nullopt;
    Tensor tensor = Tensor::zeros(*element_type, {});
    tensor.set_number(0, *value);
    return add_constant(std::move(tensor));
  }

  /// Of the first tensor that the operation reads; numbers beside it have the same, and one that stands alone has that
  /// of the rule's output.
  std::optional<ElementType> element_type_of(const RuleOperation& operation) const {
    for (const Operand& operand : operation.operands)
      if (operand.kind == Operand::Kind::tensor && !tensors_[operand.variable].empty()) {
        const Type& type = type_of(tensors_[operand.variable][0]);
        if (is_floating(type.element) || is_integer(type.element)) return type.element;
      }
    return operation.operands.size() == 1 ? std::optional(type_of(tensors_[rule_.outputs[0]][0]).element)
                                          : std::nullopt;
  }

  std::optional<NamedTerms> attributes_of(const RuleOperation& operation) const {
    NamedTerms terms;
    for (const AttributeOperand& attribute : operation.attributes) {
      Term term = evaluate(attribute.value, match_.bindings);
      if (term.index() == 0) return std::nullopt;
      terms.emplace_back(attribute.name, std::move(term));
    }
    if (operation.rest)
      for (const auto& term : match_.bindings.rests[*operation.rest]) terms.push_back(term);
    return terms;
  }

  bool add_node(const RuleOperation& operation, Ids inputs, std::size_t element) {
    const std::optional<NamedTerms> terms = attributes_of(operation);
    if (!terms || inputs.empty()) return false;
    std::optional<PlainForm> form = plain_form(operation.op, *terms, type_of(inputs[0]), setting_);
    if (!form) return false;
    for (auto& [slot, tensor] : form->parameters) {
      if (inputs.size() <= slot) inputs.resize(slot + 1);
      inputs[slot] = add_constant(std::move(tensor));
    }
    Node node;
    node.op = operation.op;
    node.inputs.assign(std::span<const ValueId>(inputs.begin(), inputs.size()));
    node.attributes = std::make_shared<const Attributes>(std::move(form->attributes));
    node.outputs.resize(output_count(operation));
    const std::optional<std::vector<Type>> types = infer(node);
    return types && place_outputs(operation, std::move(node), *types, element);
  }

  std::size_t output_count(const RuleOperation& operation) const {
    return operation.list_output ? match_.bindings.tensors[operation.outputs[0]].size() : operation.outputs.size();
  }

  /// Types of the outputs; nullopt when the operator refuses its inputs.
  std::optional<std::vector<Type>> infer(Node& node) const {
    const Definition definition = definition_of(node, setting_.opsets);
    if (definition.entry == nullptr || !definition.in_opset || definition.entry->infer == nullptr) return std::nullopt;
    if (node.inputs.size() < definition.entry->inputs.min || node.inputs.size() > definition.entry->inputs.max)
      return std::nullopt;
    std::vector<InferContext::Fact> facts;
    for (const ValueId id : node.inputs) {
      if (id.valid()) facts.push_back({.type = type_of(id), .constant = contents_of(id), .contents = {}});
      else facts.push_back({});
    }
    for (ValueId& output : node.outputs) output = ValueId(std::size_t{0});  // wanted
    try {
      InferContext context(*definition.entry, node, definition.version, std::move(facts), {});
      definition.entry->infer(context);
      std::vector<Type> types;
      for (const InferContext::Fact& fact : context.outputs()) types.push_back(fact.type);
      return types;
    } catch (const InputError&) {
      return std::nullopt;
    }
  }

  bool place_outputs(const RuleOperation& operation, Node node, const std::vector<Type>& types, std::size_t element) {
    if (types.size() != node.outputs.size()) return false;
    const bool list = operation.list_output || operation.each;
    if (!is_output(operation.outputs[0]) && operation.outputs.size() == 1 && !operation.list_output) {
      if (std::optional<Tensor> folded = fold(node, types[0])) {
        define(operation.outputs[0], add_constant(std::move(*folded)), operation.each);
        return true;
      }
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const std::size_t variable = list ? operation.outputs[0] : operation.outputs[i];
      if (is_output(variable)) {
        const Ids& existing = match_.bindings.tensors[variable];
        const std::size_t place = operation.each ? element : operation.list_output ? i : 0;
        if (place >= existing.size() || !(graph_.value(existing[place]).type == types[i])) return false;
        node.outputs[i] = existing[place];
      } else {
        if (!types[i].is_tensor() || !types[i].ranked) return false;
        node.outputs[i] = add_value(types[i]);
        define(variable, node.outputs[i], list);
      }
    }
    result_.nodes.push_back(std::move(node));
    return true;
  }

  void define(std::size_t variable, ValueId id, bool list) {
    if (!list) tensors_[variable].clear();
    tensors_[variable].push_back(id);
  }

  /// The result of a node over constants when it is small.
  std::optional<Tensor> fold(const Node& node, const Type& type) const {
    if (!type.is_static_tensor() || element_count(type.shape).value() > kMostElements) return std::nullopt;
    std::vector<Datum> inputs;
    std::vector<Type> input_types;
    for (const ValueId id : node.inputs) {
      const Tensor* tensor = id.valid() ? contents_of(id) : nullptr;
      if (id.valid() && tensor == nullptr) return std::nullopt;
      inputs.push_back(tensor != nullptr ? Datum(tensor->aligned()) : Datum());
      input_types.push_back(id.valid() ? type_of(id) : Type());
    }
    const Definition definition = definition_of(node, setting_.opsets);
    if (definition.entry->evaluate == nullptr || !definition.entry->deterministic) return std::nullopt;
    const CostContext cost(*definition.entry, node, definition.version, input_types, std::span(&type, 1));
    if (definition.entry->flops != nullptr && definition.entry->flops(cost) > kMostFlops) return std::nullopt;
    try {
      EvaluateContext context(*definition.entry, node, definition.version, inputs, {}, 0);
      definition.entry->evaluate(context);
      std::vector<Datum> outputs = context.take_outputs();
      if (outputs.size() != 1 || !outputs[0].is_tensor()) return std::nullopt;
      return outputs[0].tensor();
    } catch (const InputError&) {
      return std::nullopt;
    }
  }

  /// Left nodes, and what only they needed.
  void find_removed() {
    std::unordered_set<ValueId> kept, replaced;
    for (const Node& node : result_.nodes) kept.insert(node.inputs.begin(), node.inputs.end());
    for (const auto& [from, to] : result_.aliases) kept.insert(to);
    for (const std::size_t variable : rule_.outputs)
      replaced.insert(match_.bindings.tensors[variable].begin(), match_.bindings.tensors[variable].end());
    std::unordered_set<NodeId> removed;
    const auto is_unread = [&](ValueId id) {
      if (!id.valid() || replaced.contains(id)) return true;
      return !kept.contains(id) && !graph_.is_output(id) &&
             std::ranges::all_of(graph_.users(id), [&](const Use& use) { return removed.contains(use.node); });
    };
    std::vector<NodeId> candidates;
    for (const auto& nodes : match_.nodes) candidates.insert(candidates.begin(), nodes.begin(), nodes.end());
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const NodeId id = candidates[i];
      if (removed.contains(id) || !std::ranges::all_of(graph_.node(id).outputs, is_unread)) continue;
      removed.insert(id);
      result_.removed.push_back(id);
      for (const ValueId input : graph_.node(id).inputs)
        if (input.valid() && graph_.value(input).producer.valid()) candidates.push_back(graph_.value(input).producer);
    }
  }

  const Match& match_;
  const Rule& rule_;
  const Graph& graph_;
  const RuleSetting& setting_;
  std::vector<Ids> tensors_;
  Replacement result_;
};

}  // namespace

std::optional<Replacement> replacement(const Match& match, const RuleSetting& setting) {
  return RightSide(match, setting).run();
}

Change apply(Graph& graph, const Replacement& replacement) {
  HONE_CHECK(graph.value_count() == replacement.first_value, "a replacement for another graph");
  Change change;
  for (std::size_t i = 0; i < replacement.values.size(); ++i) {
    const NewValue& value = replacement.values[i];
    const ValueId id = graph.add_value({}, value.type);
    if (value.constant) graph.set_constant(id, *value.constant);
  }
  // Outputs lose their old producers before they get new ones.
  const auto release = [&](ValueId id) {
    const NodeId producer = graph.value(id).producer;
    if (producer.valid()) graph.detach_output(producer, graph.value(id).slot);
  };
  for (const Node& node : replacement.nodes)
    for (const ValueId output : node.outputs)
      if (output.index() < replacement.first_value) release(output);
  for (const auto& alias : replacement.aliases) release(alias.first);
  for (const Node& node : replacement.nodes)
    change.added.push_back(graph.add_node(node.op, std::span(node.inputs.begin(), node.inputs.size()),
                                          std::span(node.outputs.begin(), node.outputs.size()), *node.attributes));
  for (const auto& [from, to] : replacement.aliases) graph.replace_uses(from, to);
  for (const NodeId id : replacement.removed) graph.remove_node(id);
  change.removed = replacement.removed;
  return change;
}

void name_new_values(Graph& graph, std::size_t first_new_value) {
  std::unordered_set<std::string> taken;
  for (std::size_t i = 0; i < graph.value_count(); ++i) taken.insert(graph.value(ValueId(i)).name);
  std::size_t number = 0;
  for (std::size_t i = first_new_value; i < graph.value_count(); ++i) {
    if (!graph.value(ValueId(i)).name.empty()) continue;
    std::string name;
    do name = fmt::format("hone_{}", number++);
    while (!taken.insert(name).second);
    graph.rename(ValueId(i), name);
  }
}

}  // namespace hone
