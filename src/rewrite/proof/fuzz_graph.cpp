#include "rewrite/proof/fuzz_graph.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "graph/ops/infer.h"
#include "run/reference/reference.h"

namespace hone {
namespace {

constexpr std::int64_t kDrawnOpsets[] = {17, 13, 11, 18, 21, 9, 23, 24};
constexpr std::int64_t kMostDrawn = 4'000;  // of one tensor; larger graphs take too long to run

InstanceSetting any_setting(Choices& choices) {
  constexpr ElementType kDrawnElements[] = {ElementType::float64, ElementType::float64, ElementType::float64,
                                            ElementType::float32, ElementType::float32, ElementType::int32};
  constexpr DrawnNumbers::Kind kNumbers[] = {DrawnNumbers::Kind::positive, DrawnNumbers::Kind::quarters,
                                             DrawnNumbers::Kind::positive, DrawnNumbers::Kind::quarters,
                                             DrawnNumbers::Kind::positive, DrawnNumbers::Kind::quarters,
                                             DrawnNumbers::Kind::special};
  return {.opset = kDrawnOpsets[choices.pick(std::size(kDrawnOpsets))],
          .element = kDrawnElements[choices.pick(std::size(kDrawnElements))],
          .numbers = {.kind = kNumbers[choices.pick(std::size(kNumbers))]},
          .scope = {}};
}

bool is_finite(const Datum& datum) {
  const Tensor& tensor = datum.tensor();
  for (std::size_t i = 0; i < tensor.count(); ++i)
    if (!std::isfinite(tensor.number_at(i))) return false;
  return true;
}

/// Whether all values that the model computes are finite; nullopt when it cannot be run, as with types that an operator
/// does not take and integers divided by zero.
std::optional<bool> finite_run(Model model, std::span<const Datum> inputs) {
  for (const NodeId id : model.graph.nodes())
    for (const ValueId output : model.graph.node(id).outputs) model.graph.add_output(output);
  try {
    return std::ranges::all_of(ReferenceInterpreter(model).run(inputs), is_finite);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// Puts left sides of rules into a model, one after another.
class Planting {
 public:
  Planting(std::span<const Rule* const> rules, const InstanceSetting& setting, Choices& choices)
      : rules_(rules), setting_(setting), choices_(choices) {
    model_.ir_version = 8;
    model_.opsets.imports = {{"", setting.opset}, {"com.microsoft", 1}};
    model_.source = "random";
  }

  /// Nullopt when the rule cannot be applied to what was found for it.
  std::optional<Model> run(const Rule& aimed) {
    plant_some(choices_.pick(3));
    if (!plant_applicable(aimed)) return std::nullopt;
    plant_some(choices_.pick(3));
    return std::move(model_);
  }

 private:
  bool plant_applicable(const Rule& rule) {
    constexpr std::size_t kTries = 20;
    const Model before = model_;
    for (std::size_t i = 0; i < kTries; ++i) {
      if (plant(rule, InstanceConditions::heeded, i) && applies(rule, model_)) return true;
      model_ = before;
    }
    return false;
  }

  void plant_some(std::size_t count) {
    for (std::size_t planted = 0, tries = 0; planted < count && tries < 10 * count; ++tries) {
      const auto conditions = choices_.pick(2) == 0 ? InstanceConditions::ignored : InstanceConditions::heeded;
      planted += plant(*rules_[choices_.pick(rules_.size())], conditions, tries) ? 1 : 0;
    }
  }

  bool plant(const Rule& rule, InstanceConditions conditions, std::size_t attempt) {
    Model larger = model_;
    InstanceSetting setting = setting_;
    if (attempt % 2 == 1) setting.scope = kScopes[1];  // small sizes meet more conditions
    if (!plant_instance(larger, rule, setting, choices_, conditions) || !has_small_tensors(larger.graph, kMostDrawn))
      return false;
    if (!finite_run(larger, drawn_inputs(larger, choices_, setting_.numbers))) return false;
    model_ = std::move(larger);
    return true;
  }

  std::span<const Rule* const> rules_;
  const InstanceSetting& setting_;
  Choices& choices_;
  Model model_;
};

/// Operators that take and give the same types.
const OpName* alike(const OpName* op, Choices& choices) {
  static const std::vector<std::vector<const OpName*>> kGroups = [] {
    std::vector<std::vector<const OpName*>> groups;
    for (const std::vector<const char*>& names :
         {std::vector<const char*>{"Add", "Sub", "Mul"}, {"Relu", "Abs", "Neg"}, {"Tanh", "Sigmoid", "Erf"}}) {
      groups.emplace_back();
      for (const char* name : names) groups.back().push_back(OpName::intern("", name));
    }
    return groups;
  }();
  for (const auto& group : kGroups)
    if (std::ranges::find(group, op) != group.end()) return group[choices.pick(group.size())];
  return op;
}

/// A value made before `limit` that can take the place of another: of the same type, and a constant for a constant.
ValueId exchanged(const Graph& graph, ValueId id, std::size_t limit, Choices& choices) {
  std::vector<ValueId> candidates;
  const Value& value = graph.value(id);
  for (std::size_t i = 0; i < limit; ++i) {
    const Value& other = graph.value(ValueId(i));
    if (other.type == value.type && other.constant.has_value() == value.constant.has_value())
      candidates.emplace_back(i);
  }
  return candidates.empty() ? id : candidates[choices.pick(candidates.size())];
}

/// Another operator or other operands for a node, so that patterns are nearly met, weights shared and values read more
/// than once.
void mutate(Graph& graph, ElementType element, Choices& choices) {
  const std::vector<NodeId> nodes = graph.nodes();
  const NodeId id = nodes[choices.pick(nodes.size())];
  if (choices.pick(3) == 0) return graph.set_op(id, alike(graph.node(id).op, choices));
  const std::size_t slot = choices.pick(graph.node(id).inputs.size());
  const ValueId input = graph.node(id).inputs[slot];
  if (!input.valid() || graph.value(input).type.element != element) return;
  // Values are numbered in the order in which they are made.
  graph.set_input(id, slot, exchanged(graph, input, graph.node(id).outputs[0].index(), choices));
}

/// Some inner values are outputs of the graph too.
void add_outputs(Graph& graph, Choices& choices) {
  for (const NodeId id : graph.nodes())
    if (choices.pick(8) == 0)
      for (const ValueId output : graph.node(id).outputs)
        if (!graph.is_output(output)) graph.add_output(output);
}

/// The model with a symbol in place of one size of its inputs; as it is where that does not fit what the model
/// computes.
Model with_symbol(const Model& model, Choices& choices) {
  if (model.graph.inputs().empty()) return model;
  Model open = model;
  Graph& graph = open.graph;
  const Shape& shape = graph.value(graph.inputs()[choices.pick(graph.inputs().size())]).type.shape;
  if (shape.empty()) return model;
  const Dim chosen = shape[choices.pick(shape.size())];
  for (const ValueId id : std::vector<ValueId>(graph.inputs().begin(), graph.inputs().end())) {
    Type type = graph.value(id).type;
    for (Dim& dim : type.shape)
      if (dim == chosen) dim = Dim::symbol("n");
    graph.set_type(id, type);
  }
  for (std::size_t i = 0; i < graph.value_count(); ++i)
    if (graph.value(ValueId(i)).producer.valid()) graph.set_type(ValueId(i), {});
  try {
    infer_types(open);
  } catch (const InputError&) {
    return model;
  }
  return open;
}

}  // namespace

bool has_small_tensors(const Graph& graph, std::int64_t most_elements) {
  for (std::size_t i = 0; i < graph.value_count(); ++i) {
    const Type& type = graph.value(ValueId(i)).type;
    if (type.is_static_tensor() && element_count(type.shape).value() > most_elements) return false;
  }
  return true;
}

std::optional<FuzzGraph> random_fuzz_graph(std::span<const Rule* const> rules, const Rule& aimed, Choices& choices) {
  const InstanceSetting setting = any_setting(choices);
  std::optional<Model> planted = Planting(rules, setting, choices).run(aimed);
  if (!planted) return std::nullopt;
  FuzzGraph made{.model = std::move(*planted), .inputs = {}};
  Graph& graph = made.model.graph;
  for (std::size_t count = choices.pick(3) == 0 ? 1 + choices.pick(3) : 0; count > 0; --count)
    mutate(graph, setting.element, choices);
  if (choices.pick(2) == 0) add_outputs(graph, choices);
  made.inputs = drawn_inputs(made.model, choices, setting.numbers);
  const std::optional<bool> finite = finite_run(made.model, made.inputs);
  if (!finite) return std::nullopt;
  made.finite = *finite;
  if (choices.pick(3) == 0) made.model = with_symbol(made.model, choices);
  return made;
}

}  // namespace hone
