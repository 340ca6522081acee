#include "proof/instance.h"

#include <algorithm>

#include "base/error.h"
#include "ops/infer.h"
#include "proof/draft.h"
#include "rules/normal_form.h"

namespace hone {
namespace {

using Ids = SmallVector<ValueId, 1>;

bool is_asked_constant(const Rule& rule, std::size_t tensor) {
  return std::ranges::any_of(rule.conditions, [&](const Condition& condition) {
    const Expression& truth = condition.truth;
    if (condition.shape || truth.kind == Expression::Kind::literal) return false;
    const auto mentions = [&](const auto& self, const Expression& part) -> bool {
      if (part.kind == Expression::Kind::negation) return false;
      const bool names =
          part.kind == Expression::Kind::call &&
          (part.function->name == "const" || part.function->name == "scalar" || part.function->name == "least" ||
           part.function->name == "counts_up" || part.function->name == "uniform") &&
          part.parts[0].variable == tensor;
      return names || std::ranges::any_of(part.parts, [&](const Expression& inner) { return self(self, inner); });
    };
    return mentions(mentions, truth);
  });
}

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
    list_axis_ = choices.pick(2);
  }

  bool run() {
    for (const Operation& operation : rule_.left)
      if (!(operation.each ? add_each(operation) : add(operation, 0))) return false;
    for (const Operation& operation : rule_.left)
      for (const std::size_t variable : operation.outputs)
        if (std::ranges::find(rule_.outputs, variable) != rule_.outputs.end())
          for (const ValueId id : bindings_.tensors[variable]) model_.graph.add_output(id);
    return true;
  }

 private:
  bool add_each(const Operation& operation) {
    std::size_t count = 2 + choices_.pick(2);
    for (const Operand& operand : operation.operands)
      if (operand.list && bound_[operand.variable]) count = bindings_.tensors[operand.variable].size();
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

  std::vector<Slot> slots_of(const Operation& operation, std::size_t element) {
    std::vector<Slot> slots;
    for (std::size_t i = 0; i < operation.operands.size(); ++i) {
      const Operand& operand = operation.operands[i];
      if (operand.kind == Operand::Kind::number) {
        slots.push_back({.operand = i, .value = number_constant(operand), .absent = false});
        continue;
      }
      const Ids& ids = bindings_.tensors[operand.variable];
      if (operand.list && !operation.each) {
        const std::size_t count =
            bound_[operand.variable] ? ids.size() : choices_.pick(2) + (operation.operands.size() == 1 ? 2 : 0);
        for (std::size_t k = 0; k < count; ++k)
          slots.push_back(
              {.operand = i, .value = k < ids.size() ? std::optional(ids[k]) : std::nullopt, .absent = false});
        bound_[operand.variable] = true;
        continue;
      }
      const std::size_t place = operand.list ? element : 0;
      if (ids.empty() && !operand.list && is_read_twice(operation, operand.variable))
        new_tensor(operand, any_type(), instance_.sign);
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

  static bool is_read_twice(const Operation& operation, std::size_t variable) {
    return std::ranges::count_if(operation.operands, [&](const Operand& operand) {
             return operand.kind == Operand::Kind::tensor && operand.variable == variable;
           }) > 1;
  }

  Type any_type() {
    Shape shape;
    for (std::size_t rank = 1 + choices_.pick(3); rank > 0; --rank)
      shape.push_back(Dim(static_cast<std::int64_t>(1 + choices_.pick(3))));
    return Type::tensor(instance_.element, std::move(shape));
  }

  /// Sometimes a tensor that is there already, so that instances hang together.
  std::optional<ValueId> reused(const Operand& operand) {
    if (existing_.empty() || bound_[operand.variable] || is_asked_constant(rule_, operand.variable))
      return std::nullopt;
    if (choices_.pick(3) == 0) return std::nullopt;
    const ValueId id = existing_[existing_.size() - 1 - choices_.pick(std::min<std::size_t>(existing_.size(), 6))];
    bindings_.tensors[operand.variable].push_back(id);
    bound_[operand.variable] = true;
    return id;
  }

  ValueId number_constant(const Operand& operand) {
    const auto number = known_number(evaluate(operand.number, bindings_));
    const Dims forms[] = {{}, {1}, {1, 1}};
    Tensor tensor = Tensor::zeros(instance_.element, forms[choices_.pick(4) == 0 ? 1 + choices_.pick(2) : 0]);
    tensor.set_number(0, number.value_or(0));
    return model_.graph.add_constant(next_name(), std::move(tensor));
  }

  std::string next_name() { return fmt::format("t{}", model_.graph.value_count()); }

  bool add(const Operation& operation, std::size_t element) {
    std::vector<Slot> slots = slots_of(operation, element);
    if (slots.size() > data_inputs(operation.op))
      slots.resize(data_inputs(operation.op));  // parameters are chosen with the rest
    Draft draft{.op = operation.op,
                .element = instance_.element,
                .inputs = {},
                .wanted = {},
                .outputs = operation.outputs.size(),
                .any_outputs = operation.list_output,
                .attributes = {}};
    for (const Slot& slot : slots) {
      if (slot.absent) continue;  // only trailing operands are optional
      draft.inputs.push_back(slot.value ? std::optional(model_.graph.value(*slot.value).type)
                                        : similar(operation, slot, element));
      draft.wanted.push_back(wanted_dims(operation.operands[slot.operand]));
    }
    const bool over_list = std::ranges::any_of(operation.operands, &Operand::list);
    if (!decide_attributes(operation, draft)) return false;
    if (over_list && !operation.each && operation.op->name == "Concat" && draft.attribute("axis") == nullptr &&
        choices_.pick(4) != 0)
      draft.choose("axis", Dim(static_cast<std::int64_t>(list_axis_)));
    if (!complete(draft, choices_) || !keep_attributes(operation, draft)) return false;
    return add_node(operation, slots, draft);
  }

  /// Elements of a list are alike up to one axis.
  std::optional<Type> similar(const Operation& operation, const Slot& slot, std::size_t element) {
    const Operand& operand = operation.operands[slot.operand];
    if (!operation.each || element == 0 || !operand.list || bindings_.tensors[operand.variable].empty())
      return std::nullopt;
    Type type = model_.graph.value(bindings_.tensors[operand.variable][0]).type;
    if (list_axis_ < type.shape.size()) type.shape[list_axis_] = Dim(static_cast<std::int64_t>(1 + choices_.pick(3)));
    return type;
  }

  /// What the rule says about the shape of a tensor in numbers.
  std::optional<DimList> wanted_dims(const Operand& operand) const {
    if (operand.kind != Operand::Kind::tensor) return std::nullopt;
    for (const Condition& condition : rule_.conditions) {
      if (!condition.shape || condition.shape->tensor != operand.variable || condition.shape->ellipsis) continue;
      DimList dims;
      for (const Expression& dim : condition.shape->dims)
        dims.push_back(dim.kind == Expression::Kind::literal ? Dim(known_integer(dim.literal).value_or(1)) : Dim());
      return dims;
    }
    return std::nullopt;
  }

  bool decide_attributes(const Operation& operation, Draft& draft) const {
    for (const AttributeOperand& attribute : operation.attributes) {
      Term term = evaluate(attribute.value, bindings_);
      if (term.index() != 0) draft.choose(attribute.name, std::move(term));
      else if (attribute.value.kind != Expression::Kind::term) return false;
    }
    if (operation.rest && rest_bound_[*operation.rest])
      for (const auto& [name, term] : bindings_.rests[*operation.rest]) draft.choose(name, term);
    return true;
  }

  /// What was chosen for attributes that the rule binds. Attributes the rule does not name keep their defaults.
  bool keep_attributes(const Operation& operation, Draft& draft) {
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

  bool add_node(const Operation& operation, const std::vector<Slot>& slots, const Draft& draft) {
    Graph& graph = model_.graph;
    std::vector<ValueId> inputs;
    std::size_t at = 0;
    for (const Slot& slot : slots) {
      if (slot.absent) continue;
      const bool variance = operation.op->name == "BatchNormalization" && slot.operand == 4;
      inputs.push_back(slot.value ? *slot.value
                                  : new_tensor(operation.operands[slot.operand], *draft.inputs[at],
                                               variance ? Sign::positive : instance_.sign));
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
    if (choices_.pick(2) == 0) swap_operands(operation.op, inputs);
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

  /// Commutative operators are written in either order.
  static void swap_operands(const OpName* op, std::vector<ValueId>& inputs) {
    if ((op->name == "Add" || op->name == "Mul") && inputs.size() == 2) std::swap(inputs[0], inputs[1]);
  }

  ValueId new_tensor(const Operand& operand, const Type& type, Sign sign) {
    const bool constant =
        is_asked_constant(rule_, operand.variable) || type.element != instance_.element || choices_.pick(6) == 0;
    const ValueId id = constant ? model_.graph.add_constant(next_name(), small_numbers(type, choices_, sign))
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
};

}  // namespace

Tensor small_numbers(const Type& type, Choices& choices, Sign sign) {
  Dims dims;
  for (const Dim dim : type.shape) dims.push_back(dim.value());
  Tensor tensor = Tensor::zeros(type.element, dims);
  // One choice for all elements: what differs between them comes from a generator of its own.
  Rng rng(choices.pick(1 << 20));
  for (std::size_t i = 0; i < tensor.count(); ++i) {
    const double step = static_cast<double>(rng.between(sign == Sign::positive ? 1 : -8, 8));
    if (is_floating(type.element)) tensor.set_number(i, step / 4);
    else if (type.element == ElementType::boolean) tensor.set_number(i, step > 0 ? 1 : 0);
    else
      tensor.set_number(i, type.element == ElementType::int64 || type.element == ElementType::int32
                               ? std::trunc(step / 2)
                               : std::abs(step));
  }
  return tensor;
}

std::vector<Datum> small_inputs(const Model& model, Choices& choices, Sign sign) {
  std::vector<Datum> data;
  for (const ValueId id : model.graph.inputs()) {
    const Value& value = model.graph.value(id);
    data.push_back(value.constant ? Datum() : Datum(small_numbers(value.type, choices, sign)));
  }
  return data;
}

bool plant_instance(Model& model, const Rule& rule, const InstanceSetting& setting, Choices& choices) {
  return InstanceBuilder(model, rule, setting, choices).run();
}

std::optional<Model> make_instance(const Rule& rule, const InstanceSetting& setting, Choices& choices) {
  Model model;
  model.ir_version = 8;
  model.opsets.imports = {{"", setting.opset}, {"com.microsoft", 1}};
  model.source = rule.name;
  if (!plant_instance(model, rule, setting, choices)) return std::nullopt;
  return model;
}

}  // namespace hone
