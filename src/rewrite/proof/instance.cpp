#include "rewrite/proof/instance.h"

#include <algorithm>

#include "base/error.h"
#include "graph/ops/infer.h"
#include "rewrite/proof/asked.h"
#include "rewrite/proof/draft.h"
#include "rewrite/rules/normal_form.h"
#include "rewrite/rules/replacement.h"

namespace hone {
namespace {

using Ids = SmallVector<ValueId, 1>;

class InstanceBuilder {
 public:
  InstanceBuilder(Model& model, const Rule& rule, const InstanceSetting& setting, Choices& choices)
      : model_(model),
        rule_(rule),
        instance_(setting),
        choices_(choices),
        setting_(RuleSetting::of(model, {"com.microsoft"})) {
    for (std::size_t i = 0; i < model.graph.value_count(); ++i) {
      const Value& value = model.graph.value(ValueId(i));
      if (value.type.is_static_tensor() && value.type.element == setting.element && !value.constant)
        existing_.emplace_back(i);
    }
    bindings_.graph = &model.graph;
    bindings_.tensors.resize(rule.tensors.size());
    bindings_.terms.resize(rule.terms.size());
    bindings_.rests.resize(rule.rests.size());
    bound_.resize(rule.tensors.size(), false);
    rest_bound_.resize(rule.rests.size(), false);
    if (std::ranges::any_of(rule.left, &RuleOperation::each)) list_axis_ = choices.pick(setting.scope.rank);
  }

  bool run(InstanceConditions conditions) {
    heeds_conditions_ = conditions == InstanceConditions::heeded;
    for (const RuleOperation& operation : rule_.left) {
      if (!(operation.each ? add_each(operation) : add(operation, 0))) return false;
      if (!heeds_conditions_) continue;
      std::optional<std::vector<Term>> terms = terms_by_shapes(rule_, bindings_, bound_);
      if (!terms) return false;
      bindings_.terms = std::move(*terms);
    }
    for (const RuleOperation& operation : rule_.left)
      for (const std::size_t variable : operation.outputs)
        if (std::ranges::find(rule_.outputs, variable) != rule_.outputs.end())
          for (const ValueId id : bindings_.tensors[variable]) model_.graph.add_output(id);
    return true;
  }

 private:
  bool add_each(const RuleOperation& operation) {
    const auto known = std::ranges::find_if(
        operation.operands, [&](const Operand& operand) { return operand.list && bound_[operand.variable]; });
    const std::size_t count = known != operation.operands.end() ? bindings_.tensors[known->variable].size()
                                                                : 1 + choices_.pick(instance_.scope.list);
    for (std::size_t i = 0; i < count; ++i)
      if (!add(operation, i)) return false;
    return true;
  }

  /// One operand: the value it is bound to, a number, or something to be decided.
  struct Slot {
    std::size_t operand = 0;
    std::optional<ValueId> value;
    bool absent = false;
  };

  std::vector<Slot> slots_of(const RuleOperation& operation, std::size_t element) {
    std::vector<Slot> slots;
    for (std::size_t i = 0; i < operation.operands.size(); ++i) {
      const Operand& operand = operation.operands[i];
      if (operand.kind == Operand::Kind::number) {
        slots.push_back({.operand = i, .value = number_constant(operand), .absent = false});
        continue;
      }
      const Ids& ids = bindings_.tensors[operand.variable];
      if (operand.list && !operation.each) {
        const std::size_t count = bound_[operand.variable]         ? ids.size()
                                  : operation.operands.size() == 1 ? 1 + choices_.pick(instance_.scope.list)
                                                                   : choices_.pick(2);
        for (std::size_t k = 0; k < count; ++k)
          slots.push_back(
              {.operand = i, .value = k < ids.size() ? std::optional(ids[k]) : std::nullopt, .absent = false});
        bound_[operand.variable] = true;
        continue;
      }
      const std::size_t place = operand.list ? element : 0;
      if (ids.empty() && !operand.list && is_read_twice(operation, operand.variable))
        new_tensor(operand, any_type(), instance_.numbers);
      if (place < ids.size()) {
        slots.push_back({.operand = i, .value = ids[place], .absent = false});
        continue;
      }
      const bool absent = operand.optional && (bound_[operand.variable] || choices_.pick(2) == 0);
      if (absent) bound_[operand.variable] = true;
      slots.push_back({.operand = i, .value = absent ? std::nullopt : reused(operand), .absent = absent});
    }
    return slots;
  }

  static bool is_read_twice(const RuleOperation& operation, std::size_t variable) {
    return std::ranges::count_if(operation.operands, [&](const Operand& operand) {
             return operand.kind == Operand::Kind::tensor && operand.variable == variable;
           }) > 1;
  }

  Type any_type() {
    Shape shape;
    for (std::size_t rank = choices_.pick(instance_.scope.rank + 1); rank > 0; --rank)
      shape.push_back(Dim(pick_between(choices_, 1, instance_.scope.size)));
    return Type::tensor(instance_.element, std::move(shape));
  }

  /// Sometimes a tensor that is there already, so that instances hang together.
  std::optional<ValueId> reused(const Operand& operand) {
    if (existing_.empty() || bound_[operand.variable] || asked_of(rule_, operand.variable) == AskedOf::constant)
      return std::nullopt;
    if (choices_.draw(3) == 0) return std::nullopt;
    const ValueId id = existing_[existing_.size() - 1 - choices_.draw(std::min<std::size_t>(existing_.size(), 6))];
    bindings_.tensors[operand.variable].push_back(id);
    bound_[operand.variable] = true;
    return id;
  }

  ValueId number_constant(const Operand& operand) {
    const auto number = known_number(evaluate(operand.number, bindings_));
    const Dims forms[] = {{}, {1}, {1, 1}};
    Tensor tensor = Tensor::zeros(instance_.element, forms[choices_.draw(4) == 0 ? 1 + choices_.draw(2) : 0]);
    tensor.set_number(0, number.value_or(0));
    return model_.graph.add_constant(next_name(), std::move(tensor));
  }

  std::string next_name() { return fmt::format("t{}", model_.graph.value_count()); }

  bool add(const RuleOperation& operation, std::size_t element) {
    std::vector<Slot> slots = slots_of(operation, element);
    if (slots.size() > data_inputs(operation.op))
      slots.resize(data_inputs(operation.op));  // parameters are chosen with the rest
    Draft draft{.op = operation.op,
                .scope = instance_.scope,
                .element = instance_.element,
                .inputs = {},
                .wanted = {},
                .outputs = operation.outputs.size(),
                .any_outputs = operation.list_output,
                .attributes = {},
                .named = {}};
    if (!operation.rest && operation.operands.size() <= data_inputs(operation.op)) {
      draft.named.emplace();
      for (const AttributeOperand& attribute : operation.attributes) draft.named->push_back(attribute.name);
    }
    for (const Slot& slot : slots) {
      if (slot.absent) continue;  // only trailing operands are optional
      draft.inputs.push_back(slot.value ? std::optional(model_.graph.value(*slot.value).type)
                                        : similar(operation, slot, element));
      const Operand& operand = operation.operands[slot.operand];
      draft.wanted.push_back(operand.kind == Operand::Kind::tensor ? asked_shape(rule_, operand.variable, bindings_)
                                                                   : std::nullopt);
    }
    const bool over_list = std::ranges::any_of(operation.operands, &Operand::list);
    if (!decide_attributes(operation, draft)) return false;
    if (over_list && !operation.each && operation.op->name == "Concat" && draft.attribute("axis") == nullptr &&
        choices_.shortcut(2))
      draft.choose("axis", Dim(static_cast<std::int64_t>(list_axis_)));
    if (!complete(draft, choices_) || !keep_attributes(operation, draft)) return false;
    return add_node(operation, slots, draft);
  }

  /// Elements of a list are alike up to one axis.
  std::optional<Type> similar(const RuleOperation& operation, const Slot& slot, std::size_t element) {
    const Operand& operand = operation.operands[slot.operand];
    if (!operation.each || element == 0 || !operand.list || bindings_.tensors[operand.variable].empty())
      return std::nullopt;
    Type type = model_.graph.value(bindings_.tensors[operand.variable][0]).type;
    if (list_axis_ < type.shape.size()) type.shape[list_axis_] = Dim(pick_between(choices_, 1, instance_.scope.size));
    return type;
  }

  bool decide_attributes(const RuleOperation& operation, Draft& draft) const {
    for (const AttributeOperand& attribute : operation.attributes) {
      Term term = evaluate(attribute.value, bindings_);
      if (term.index() == 0 && attribute.value.kind == Expression::Kind::term && heeds_conditions_)
        term = asked_term(rule_, attribute.value.variable, bindings_, bound_);
      if (term.index() != 0) draft.choose(attribute.name, std::move(term));
      else if (attribute.value.kind != Expression::Kind::term) return false;
    }
    if (operation.rest && rest_bound_[*operation.rest])
      for (const auto& [name, term] : bindings_.rests[*operation.rest]) draft.choose(name, term);
    return true;
  }

  /// What was chosen for attributes that the rule binds. Attributes the rule does not name keep their defaults.
  bool keep_attributes(const RuleOperation& operation, Draft& draft) {
    NamedTerms rest;
    std::vector<std::string> dropped;
    for (const auto& [name, term] : draft.attributes) {
      const std::string& wanted = name;
      const auto named =
          std::ranges::find_if(operation.attributes, [&](const AttributeOperand& each) { return each.name == wanted; });
      if (named == operation.attributes.end()) {
        const bool operand = operation.operands.size() > data_inputs(operation.op);
        if (operation.rest) rest.emplace_back(name, term);
        else if (!operand) dropped.push_back(name);
      } else if (named->value.kind == Expression::Kind::term) {
        bindings_.terms[named->value.variable] = term;
      }
    }
    std::erase_if(draft.attributes,
                  [&](const auto& term) { return std::ranges::find(dropped, term.first) != dropped.end(); });
    if (operation.rest && !rest_bound_[*operation.rest]) {
      bindings_.rests[*operation.rest] = std::move(rest);
      rest_bound_[*operation.rest] = true;
    }
    return true;
  }

  /// Variances are above zero, and indices within their axis.
  DrawnNumbers numbers_of(const RuleOperation& operation, std::size_t operand, const Draft& draft) const {
    if (operation.op->name == "BatchNormalization" && operand == 4) return {.kind = DrawnNumbers::Kind::positive};
    if (operation.op->name == "Gather" && operand == 1) {
      const auto axis = static_cast<std::size_t>(draft.integer("axis").value_or(0));
      return {.kind = DrawnNumbers::Kind::index, .largest = draft.shape(0)[axis].value()};
    }
    return instance_.numbers;
  }

  bool add_node(const RuleOperation& operation, const std::vector<Slot>& slots, const Draft& draft) {
    Graph& graph = model_.graph;
    std::vector<ValueId> inputs;
    std::size_t at = 0;
    for (const Slot& slot : slots) {
      if (slot.absent) continue;
      inputs.push_back(slot.value ? *slot.value
                                  : new_tensor(operation.operands[slot.operand], *draft.inputs[at],
                                               numbers_of(operation, slot.operand, draft)));
      ++at;
    }
    const std::optional<PlainForm> form =
        plain_form(operation.op, draft.attributes, graph.value(inputs[0]).type, setting_);
    if (!form) return false;
    for (const auto& [slot, tensor] : form->parameters) {
      if (inputs.size() <= slot) inputs.resize(slot + 1);
      inputs[slot] = graph.add_constant(next_name(), tensor);
      if (slot >= operation.operands.size()) continue;
      bindings_.tensors[operation.operands[slot].variable] = {inputs[slot]};
      bound_[operation.operands[slot].variable] = true;
    }
    if (choices_.draw(2) == 0 && inputs.size() == 2 && is_commutative(operation.op)) std::swap(inputs[0], inputs[1]);
    std::vector<ValueId> outputs;
    for (std::size_t i = 0; i < draft.outputs; ++i) {
      outputs.push_back(graph.add_value(next_name()));
      const std::size_t variable = operation.outputs[operation.list_output ? 0 : i];
      bindings_.tensors[variable].push_back(outputs.back());
      bound_[variable] = true;
    }
    graph.add_node(operation.op, inputs, outputs, form->attributes);
    return infer();
  }

  ValueId new_tensor(const Operand& operand, const Type& type, DrawnNumbers numbers) {
    const AskedOf asked = asked_of(rule_, operand.variable);
    const bool constant = asked == AskedOf::constant || type.element != instance_.element ||
                          (asked == AskedOf::nothing && choices_.draw(6) == 0);
    const ValueId id = constant ? model_.graph.add_constant(next_name(), drawn_tensor(type, choices_, numbers))
                                : model_.graph.add_input(next_name(), type);
    bindings_.tensors[operand.variable].push_back(id);
    bound_[operand.variable] = true;
    return id;
  }

  bool infer() {
    try {
      infer_types(model_);
    } catch (const InputError&) {
      return false;
    }
    const Graph& graph = model_.graph;
    return std::ranges::all_of(graph.node(NodeId(graph.node_slots() - 1)).outputs,
                               [&](ValueId id) { return graph.value(id).type.is_static_tensor(); });
  }

  Model& model_;
  const Rule& rule_;
  const InstanceSetting& instance_;
  Choices& choices_;
  RuleSetting setting_;
  Bindings bindings_;
  std::vector<bool> bound_, rest_bound_;
  std::vector<ValueId> existing_;
  std::size_t list_axis_ = 0;
  bool heeds_conditions_ = false;
};

}  // namespace

bool plant_instance(Model& model, const Rule& rule, const InstanceSetting& setting, Choices& choices,
                    InstanceConditions conditions) {
  return InstanceBuilder(model, rule, setting, choices).run(conditions);
}

std::optional<Model> make_instance(const Rule& rule, const InstanceSetting& setting, Choices& choices) {
  Model model;
  model.ir_version = 8;
  model.opsets.imports = {{"", setting.opset}, {"com.microsoft", 1}};
  model.source = rule.name;
  if (!InstanceBuilder(model, rule, setting, choices).run(InstanceConditions::heeded)) return std::nullopt;
  return model;
}

bool applies(const Rule& rule, const Model& model) {
  const Rule* const only = &rule;
  const Matcher matcher(std::span(&only, 1), RuleSetting::of(model, {"com.microsoft"}));
  return !matcher.visit(model.graph, [&](const Match& match) { return !replacement(match, matcher.setting()); });
}

}  // namespace hone
