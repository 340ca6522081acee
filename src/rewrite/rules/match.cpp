#include "rewrite/rules/match.h"

#include <algorithm>
#include <cmath>

#include "base/interrupt.h"
#include "graph/ops/op.h"
#include "rewrite/rules/match_conditions.h"
#include "rewrite/rules/normal_form.h"

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
    if (interrupted()) return false;  // there may be very many ways to go on
    if (!hold_early(match_, rule_.steps[index - 1])) return true;
    if (index == rule_.steps.size()) return finish();
    const MatchStep& step = rule_.steps[index];
    const RuleOperation& operation = rule_.left[step.operation];
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

  ValueId leader(ValueId id) const { return classes_ != nullptr && id.valid() ? classes_->leader(id) : id; }

  /// Whether the outputs of a node can be those of an operation; inner values must have no readers but those of the
  /// rule.
  bool outputs_fit(const RuleOperation& operation, const Node& node) const {
    if (operation.list_output) return std::ranges::all_of(node.outputs, &ValueId::valid);
    std::size_t count = node.outputs.size();
    while (count > 0 && !node.outputs[count - 1].valid()) --count;
    return count == operation.outputs.size();
  }

  bool place(std::size_t index, NodeId id, const Continue& next) {
    const RuleOperation& operation = rule_.left[index];
    const Node& node = graph_.node(id);
    if (node.op != operation.op || node.captured > 0 || !outputs_fit(operation, node) || takes(match_, id)) return true;
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

  bool bind_outputs(const RuleOperation& operation, const Node& node) {
    Ids outputs;
    for (const ValueId output : node.outputs) outputs.push_back(leader(output));
    if (operation.list_output) return bind(operation.outputs[0], outputs);
    for (std::size_t i = 0; i < operation.outputs.size(); ++i)
      if (!outputs[i].valid() || !bind(operation.outputs[i], {outputs[i]})) return false;
    return true;
  }

  /// Assigns operands from `at` on to the inputs from `from` on, in every way there is.
  bool operands(const RuleOperation& operation, const Ids& inputs, std::size_t at, std::size_t from,
                const Continue& next) {
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
    const RuleOperation& operation = rule_.left[step.operation];
    const Ids values = match_.bindings.tensors[step.variable];
    std::vector<Ids> collected(operation.operands.size());
    Ids outputs;
    auto& nodes = match_.nodes[step.operation];
    const std::size_t trail = trail_.size();
    bool fits = values.size() >= 1;
    for (std::size_t i = 0; fits && i < values.size(); ++i) {
      const NodeId id = neighbour(values[i], step.way, operation.op);
      fits = id.valid() && graph_.node(id).op == operation.op && !takes(match_, id) && graph_.node(id).captured == 0 &&
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
    const auto fits = [&](NodeId id) { return id.valid() && graph_.node(id).op == op && !takes(match_, id); };
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
  bool collect(const RuleOperation& operation, const Node& node, std::vector<Ids>& collected) const {
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

  bool bind_collected(const RuleOperation& operation, const std::vector<Ids>& collected) {
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

  bool finish() { return !completed_by_conditions(match_, setting_, classes_) || visit_(match_); }

  const Rule& rule_;
  const Graph& graph_;
  const RuleSetting& setting_;
  const Matcher::Visitor& visit_;
  const ValueClasses* classes_;
  Match match_;
  std::vector<bool> bound_;
  std::vector<std::size_t> trail_;
};

/// Two matches that name the same nodes and tensors are one.
bool same_place(const Match& a, const Match& b) {
  return a.rule == b.rule && a.nodes == b.nodes && a.bindings.tensors == b.bindings.tensors;
}

}  // namespace

bool is_commutative(const OpName* op) {
  const OpEntry* entry = OpTable::instance().find(op);
  return entry != nullptr && entry->commutative;
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
