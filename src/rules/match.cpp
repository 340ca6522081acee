#include "rules/match.h"

#include <algorithm>
#include <cmath>

#include "rules/normal_form.h"

namespace hone {
namespace {

/// One attempt to find a rule from a root: a depth-first search over the choices that there are, readers of a value and
/// the order of commutative operands.
class Attempt {
 public:
  Attempt(const Rule& rule, const Graph& graph, const RuleSetting& setting, const Matcher::Visitor& visit,
          const ValueClasses* classes)
      : rule_(rule), graph_(graph), setting_(setting), visit_(visit), classes_(classes) {
    match_.rule = &rule;
    match_.nodes.resize(rule.left.size());
    match_.bindings.graph = &graph;
    match_.bindings.defaults = setting.defaults;
    match_.bindings.tensors.resize(rule.tensors.size());
    bound_.assign(rule.tensors.size(), false);
  }

  /// False when the visitor wants no more.
  bool run(NodeId root) {
    const std::size_t operation = rule_.steps[0].operation;
    return place(operation, root, [&] { return step(1); });
  }

 private:
  using Ids = SmallVector<ValueId, 1>;
  using Continue = std::function<bool()>;

  bool step(std::size_t index) {
    if (!is_promising(rule_.steps[index - 1])) return true;
    if (index == rule_.steps.size()) return finish();
    const MatchStep& step = rule_.steps[index];
    const Operation& operation = rule_.left[step.operation];
    const Continue next = [this, index] { return this->step(index + 1); };
    if (operation.each) return place_each(step, next);
    const Ids& values = match_.bindings.tensors[step.variable];
    if (values.empty()) return true;
    const ValueId value = values[0];
    if (step.way == MatchStep::Way::producer) {
      const std::span<const ValueId> equal = classes_ != nullptr ? classes_->members(value) : std::span(&value, 1);
      return std::ranges::all_of(equal, [&](ValueId each) {
        const NodeId producer = graph_.value(each).producer;
        return !producer.valid() || place(step.operation, producer, next);
      });
    }
    for (const Use& use : std::vector<Use>(graph_.users(value).begin(), graph_.users(value).end())) {
      const Node& reader = graph_.node(use.node);
      if (reader.op == operation.op && !place(step.operation, use.node, next)) return false;
    }
    return true;
  }

  /// Whether what the last step decides speaks for going on.
  bool is_promising(const MatchStep& last) const {
    return last.decides.empty() || (tensors_are_typed() && std::ranges::all_of(last.decides, [&](std::size_t each) {
                                      return holds(rule_.conditions[each].truth, match_.bindings);
                                    }));
  }

  ValueId leader(ValueId id) const { return classes_ != nullptr && id.valid() ? classes_->leader(id) : id; }

  bool is_taken(NodeId node) const {
    return std::ranges::any_of(match_.nodes,
                               [&](const auto& nodes) { return std::ranges::find(nodes, node) != nodes.end(); });
  }

  /// Whether the outputs of a node can be those of an operation; inner values must have no readers but those of the
  /// rule.
  bool outputs_fit(const Operation& operation, const Node& node) const {
    if (operation.list_output) return std::ranges::all_of(node.outputs, &ValueId::valid);
    std::size_t count = node.outputs.size();
    while (count > 0 && !node.outputs[count - 1].valid()) --count;
    return count == operation.outputs.size();
  }

  bool place(std::size_t index, NodeId id, const Continue& next) {
    const Operation& operation = rule_.left[index];
    const Node& node = graph_.node(id);
    if (node.op != operation.op || node.captured > 0 || !outputs_fit(operation, node) || is_taken(id)) return true;
    const std::size_t trail = trail_.size();
    match_.nodes[index] = {id};
    bool more = true;
    if (bind_outputs(operation, node)) {
      Ids inputs(node.written_inputs());
      const std::size_t data =
          operation.operands.size() <= data_inputs(operation.op) ? data_inputs(operation.op) : SIZE_MAX;
      if (inputs.size() > data) inputs.resize(data);
      while (!inputs.empty() && !inputs.back().valid()) inputs.pop_back();
      more = operands(operation, inputs, 0, 0, next);
      if (more && operation.operands.size() == 2 && inputs.size() == 2 && is_commutative(operation.op) &&
          inputs[0] != inputs[1]) {
        std::swap(inputs[0], inputs[1]);
        more = operands(operation, inputs, 0, 0, next);
      }
    }
    match_.nodes[index].clear();
    unwind(trail);
    return more;
  }

  bool bind_outputs(const Operation& operation, const Node& node) {
    Ids outputs;
    for (const ValueId output : node.outputs) outputs.push_back(leader(output));
    if (operation.list_output) return bind(operation.outputs[0], outputs);
    for (std::size_t i = 0; i < operation.outputs.size(); ++i)
      if (!outputs[i].valid() || !bind(operation.outputs[i], {outputs[i]})) return false;
    return true;
  }

  /// Assigns operands from `at` on to the inputs from `from` on, in every way there is.
  bool operands(const Operation& operation, const Ids& inputs, std::size_t at, std::size_t from, const Continue& next) {
    if (at == operation.operands.size()) return from == inputs.size() ? next() : true;
    const Operand& operand = operation.operands[at];
    const std::size_t trail = trail_.size();
    if (operand.list) {
      const std::size_t after = operation.operands.size() - at - 1;  // every other operand takes one
      const bool last_list = std::none_of(operation.operands.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                                          operation.operands.end(), [](const Operand& o) { return o.list; });
      for (std::size_t count = 0; from + count <= inputs.size(); ++count) {
        if (last_list && from + count + after != inputs.size()) continue;
        Ids taken;
        for (std::size_t i = 0; i < count; ++i) taken.push_back(inputs[from + i]);
        const bool valid = std::ranges::all_of(taken, &ValueId::valid);
        if (valid && bind(operand.variable, taken) && !operands(operation, inputs, at + 1, from + count, next))
          return false;
        unwind(trail);
      }
      return true;
    }
    const bool absent = from >= inputs.size() || !inputs[from].valid();
    if (absent) {
      const bool more = !operand.optional || !bind(operand.variable, {}) ||
                        operands(operation, inputs, at + 1, std::min(from + 1, inputs.size()), next);
      unwind(trail);
      return more;
    }
    const bool fits = operand.kind == Operand::Kind::number ? is_number(inputs[from], operand)
                                                            : bind(operand.variable, {inputs[from]});
    const bool more = !fits || operands(operation, inputs, at + 1, from + 1, next);
    unwind(trail);
    return more;
  }

  bool is_number(ValueId id, const Operand& operand) const {
    const Tensor* tensor = fixed_contents(graph_, id, setting_.defaults);
    const auto wanted = known_number(evaluate(operand.number, match_.bindings));
    if (tensor == nullptr || tensor->count() != 1 || !wanted) return false;
    if (is_integer(tensor->type())) return tensor->number_at(0) == *wanted;
    if (!is_floating(tensor->type())) return false;
    const bool narrow = bit_width(tensor->type()) < 32;
    return std::abs(tensor->number_at(0) - *wanted) <= (narrow ? 1e-3 : 1e-6) * std::abs(*wanted);
  }

  /// Places an operation over lists: one node for every value of the list it is found from.
  bool place_each(const MatchStep& step, const Continue& next) {
    const Operation& operation = rule_.left[step.operation];
    const Ids values = match_.bindings.tensors[step.variable];
    std::vector<Ids> collected(operation.operands.size());
    Ids outputs;
    auto& nodes = match_.nodes[step.operation];
    const std::size_t trail = trail_.size();
    bool fits = values.size() >= 1;
    for (std::size_t i = 0; fits && i < values.size(); ++i) {
      const NodeId id = neighbour(values[i], step.way, operation.op);
      fits = id.valid() && graph_.node(id).op == operation.op && !is_taken(id) && graph_.node(id).captured == 0 &&
             outputs_fit(operation, graph_.node(id)) && collect(operation, graph_.node(id), collected);
      if (!fits) break;
      nodes.push_back(id);
      outputs.push_back(leader(graph_.node(id).outputs[0]));
    }
    bool more = true;
    if (fits && bind(operation.outputs[0], outputs) && bind_collected(operation, collected)) more = next();
    nodes.clear();
    unwind(trail);
    return more;
  }

  /// The one node before or behind a value; among the nodes of a class the first of that operator.
  NodeId neighbour(ValueId value, MatchStep::Way way, const OpName* op) const {
    if (classes_ != nullptr) return first_of_class(value, way, op);
    if (way == MatchStep::Way::producer) return graph_.value(value).producer;
    return graph_.users(value).size() == 1 ? graph_.users(value)[0].node : NodeId();
  }

  NodeId first_of_class(ValueId value, MatchStep::Way way, const OpName* op) const {
    const auto fits = [&](NodeId id) { return id.valid() && graph_.node(id).op == op && !is_taken(id); };
    if (way == MatchStep::Way::producer) {
      for (const ValueId each : classes_->members(value))
        if (fits(graph_.value(each).producer)) return graph_.value(each).producer;
    } else {
      for (const Use& use : graph_.users(value))
        if (fits(use.node)) return use.node;
    }
    return {};
  }

  /// Adds the inputs of one node of a list to those of the others.
  bool collect(const Operation& operation, const Node& node, std::vector<Ids>& collected) const {
    const std::size_t count = std::min(node.written_inputs().size(), data_inputs(operation.op));
    if (count != operation.operands.size()) return false;
    for (std::size_t i = 0; i < count; ++i) {
      const ValueId input = node.inputs[i];
      if (!input.valid()) return false;
      const Operand& operand = operation.operands[i];
      if (operand.kind == Operand::Kind::number && !is_number(input, operand)) return false;
      if (operand.list || collected[i].empty()) collected[i].push_back(input);
      else if (collected[i][0] != input) return false;
    }
    return true;
  }

  bool bind_collected(const Operation& operation, const std::vector<Ids>& collected) {
    for (std::size_t i = 0; i < collected.size(); ++i)
      if (operation.operands[i].kind == Operand::Kind::tensor && !bind(operation.operands[i].variable, collected[i]))
        return false;
    return true;
  }

  bool bind(std::size_t variable, const Ids& ids) {
    if (bound_[variable]) return match_.bindings.tensors[variable] == ids;
    match_.bindings.tensors[variable] = ids;
    bound_[variable] = true;
    trail_.push_back(variable);
    return true;
  }

  void unwind(std::size_t size) {
    for (; trail_.size() > size; trail_.pop_back()) {
      match_.bindings.tensors[trail_.back()].clear();
      bound_[trail_.back()] = false;
    }
  }

  // Once every operation has its node

  bool finish() {
    match_.bindings.terms.assign(rule_.terms.size(), Term());
    match_.bindings.rests.assign(rule_.rests.size(), {});
    rest_bound_.assign(rule_.rests.size(), false);
    const bool fits =
        tensors_are_typed() && inner_values_are_free() && attributes_fit() && conditions_hold() && closes_no_cycle();
    return !fits || visit_(match_);
  }

  /// Rules speak of tensors whose element type and rank are known.
  bool tensors_are_typed() const {
    for (const auto& ids : match_.bindings.tensors)
      for (const ValueId id : ids) {
        const Type& type = graph_.value(id).type;
        if (!type.is_tensor() || !type.ranked || type.element == ElementType::undefined) return false;
      }
    return true;
  }

  bool inner_values_are_free() const {
    if (classes_ != nullptr) return true;
    for (const Operation& operation : rule_.left)
      for (const std::size_t variable : operation.outputs) {
        if (rule_.shared[variable] || std::ranges::find(rule_.outputs, variable) != rule_.outputs.end()) continue;
        for (const ValueId id : match_.bindings.tensors[variable]) {
          const bool inside = std::ranges::all_of(graph_.users(id), [&](const Use& use) { return is_taken(use.node); });
          if (!inside || graph_.is_output(id)) return false;
        }
      }
    return true;
  }

  bool attributes_fit() {
    for (std::size_t i = 0; i < rule_.left.size(); ++i) {
      const Operation& operation = rule_.left[i];
      if (operation.operands.size() > data_inputs(operation.op) && operation.attributes.empty() && !operation.rest) {
        if (!parameters_stand_as_inputs(operation, i)) return false;
        continue;
      }
      for (const NodeId id : match_.nodes[i]) {
        const std::optional<NamedTerms> terms = normal_attributes(graph_, id, setting_);
        if (!terms || !attributes_fit(operation, *terms)) return false;
      }
    }
    return true;
  }

  /// An operation whose parameters are written as operands has no other attributes.
  bool parameters_stand_as_inputs(const Operation& operation, std::size_t index) const {
    return std::ranges::all_of(match_.nodes[index], [&](NodeId id) {
      return std::ranges::all_of(*graph_.node(id).attributes, [&](const Attribute& attribute) {
        return is_default(operation.op, attribute.name, term_of(attribute.value), setting_);
      });
    });
  }

  bool attributes_fit(const Operation& operation, const NamedTerms& terms) {
    NamedTerms others;
    std::size_t met = 0;
    for (const auto& [name, term] : terms) {
      const std::string& wanted = name;  // clang 14 cannot capture a binding
      const auto named =
          std::ranges::find_if(operation.attributes, [&](const AttributeOperand& each) { return each.name == wanted; });
      if (named != operation.attributes.end()) {
        ++met;
        if (!term_fits(named->value, term)) return false;
      } else if (operation.rest) {
        others.emplace_back(name, term);
      } else if (!is_default(operation.op, name, term, setting_)) {
        return false;
      }
    }
    return met == operation.attributes.size() && (!operation.rest || rest_fits(*operation.rest, std::move(others)));
  }

  bool term_fits(const Expression& expression, const Term& term) {
    if (expression.kind == Expression::Kind::term && match_.bindings.terms[expression.variable].index() == 0) {
      match_.bindings.terms[expression.variable] = term;
      return true;
    }
    return equal_terms(evaluate(expression, match_.bindings), term) == true;
  }

  bool rest_fits(std::size_t rest, NamedTerms others) {
    if (!rest_bound_[rest]) {
      match_.bindings.rests[rest] = std::move(others);
      rest_bound_[rest] = true;
      return true;
    }
    return std::ranges::equal(match_.bindings.rests[rest], others, [](const auto& a, const auto& b) {
      return a.first == b.first && equal_terms(a.second, b.second) == true;
    });
  }

  bool conditions_hold() {
    return std::ranges::all_of(rule_.conditions, [&](const Condition& condition) {
      return condition.shape ? shape_fits(*condition.shape) : holds(condition.truth, match_.bindings);
    });
  }

  bool shape_fits(const ShapeCondition& condition) {
    if (match_.bindings.tensors[condition.tensor].size() != 1) return false;
    const Shape& shape = graph_.value(match_.bindings.tensors[condition.tensor][0]).type.shape;
    const std::size_t count = condition.dims.size();
    if (condition.ellipsis ? shape.size() < count : shape.size() != count) return false;
    for (std::size_t i = 0; i < count; ++i) {
      const bool behind = condition.ellipsis && i >= *condition.ellipsis;
      const Dim dim = shape[behind ? shape.size() - count + i : i];
      if (dim.unknown() || !term_fits(condition.dims[i], dim)) return false;
    }
    return true;
  }

  /// Whether no input of the match is computed from one of its outputs; the right side would then need what it makes.
  bool closes_no_cycle() const {
    if (!rule_.may_close_cycle || classes_ != nullptr) return true;
    std::vector<bool> seen(graph_.node_slots(), false);
    std::vector<NodeId> stack;
    const auto push = [&](ValueId id) {
      const NodeId producer = id.valid() ? graph_.value(id).producer : NodeId();
      if (!producer.valid() || seen[producer.index()]) return;
      seen[producer.index()] = true;
      stack.push_back(producer);
    };
    for (const std::size_t variable : rule_.inputs)
      for (const ValueId id : match_.bindings.tensors[variable]) push(id);
    while (!stack.empty()) {
      const NodeId id = stack.back();
      stack.pop_back();
      if (is_taken(id)) return false;
      for (const ValueId input : graph_.node(id).inputs) push(input);
    }
    return true;
  }

  const Rule& rule_;
  const Graph& graph_;
  const RuleSetting& setting_;
  const Matcher::Visitor& visit_;
  const ValueClasses* classes_;
  Match match_;
  std::vector<bool> bound_, rest_bound_;
  std::vector<std::size_t> trail_;
};

/// Two matches that name the same nodes and tensors are one.
bool same_place(const Match& a, const Match& b) {
  return a.rule == b.rule && a.nodes == b.nodes && a.bindings.tensors == b.bindings.tensors;
}

}  // namespace

bool is_commutative(const OpName* op) {
  static const OpName* const kOps[] = {
      OpName::intern("", "Add"), OpName::intern("", "Mul"), OpName::intern("", "Max"),
      OpName::intern("", "Min"), OpName::intern("", "Sum"), OpName::intern("", "And"),
      OpName::intern("", "Or"),  OpName::intern("", "Xor"), OpName::intern("", "Equal")};
  return std::ranges::find(kOps, op) != std::end(kOps);
}

Matcher::Matcher(std::span<const Rule* const> rules, RuleSetting setting) : setting_(std::move(setting)) {
  for (const Rule* rule : rules) {
    if (!rule->domain.empty() && std::ranges::find(setting_.domains, rule->domain) == setting_.domains.end()) continue;
    rules_.push_back(rule);
    by_root_[rule->left[rule->steps[0].operation].op].push_back(rule);
  }
}

bool Matcher::visit_at(const Graph& graph, NodeId root, const Visitor& visit, const ValueClasses* classes) const {
  const auto found = by_root_.find(graph.node(root).op);
  if (found == by_root_.end()) return true;
  return std::ranges::all_of(
      found->second, [&](const Rule* rule) { return Attempt(*rule, graph, setting_, visit, classes).run(root); });
}

bool Matcher::visit(const Graph& graph, const Visitor& visit) const {
  for (std::size_t i = 0; i < graph.node_slots(); ++i)
    if (graph.alive(NodeId(i)) && !visit_at(graph, NodeId(i), visit)) return false;
  return true;
}

std::vector<Match> Matcher::matches(const Graph& graph) const {
  std::vector<Match> found;
  visit(graph, [&](const Match& match) {
    if (found.empty() || !same_place(found.back(), match)) found.push_back(match);
    return true;
  });
  return found;
}

}  // namespace hone
