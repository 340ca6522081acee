#include "rewrite/rules/match_conditions.h"

#include <algorithm>

#include "rewrite/rules/normal_form.h"

namespace hone {
namespace {

/// Rules speak of tensors whose element type and rank are known.
bool tensors_are_typed(const Bindings& bindings) {
  for (const auto& ids : bindings.tensors)
    for (const ValueId id : ids) {
      const Type& type = bindings.graph->value(id).type;
      if (!type.is_tensor() || !type.ranked || type.element == ElementType::undefined) return false;
    }
  return true;
}

/// Looks at a match once every operation has its node.
class MatchConditions {
 public:
  MatchConditions(Match& match, const RuleSetting& setting, const ValueClasses* classes)
      : match_(match), rule_(*match.rule), graph_(*match.bindings.graph), setting_(setting), classes_(classes) {
    match_.bindings.terms.assign(rule_.terms.size(), Term());
    match_.bindings.rests.assign(rule_.rests.size(), {});
    rest_bound_.assign(rule_.rests.size(), false);
  }

  bool hold() {
    return tensors_are_typed(match_.bindings) && inner_values_are_free() && attributes_fit() && conditions_hold() &&
           closes_no_cycle();
  }

 private:
  bool inner_values_are_free() const {
    if (classes_ != nullptr) return true;
    for (const RuleOperation& operation : rule_.left)
      for (const std::size_t variable : operation.outputs) {
        if (rule_.shared[variable] || std::ranges::find(rule_.outputs, variable) != rule_.outputs.end()) continue;
        for (const ValueId id : match_.bindings.tensors[variable]) {
          const bool inside =
              std::ranges::all_of(graph_.users(id), [&](const Use& use) { return takes(match_, use.node); });
          if (!inside || graph_.is_output(id)) return false;
        }
      }
    return true;
  }

  bool attributes_fit() {
    for (std::size_t i = 0; i < rule_.left.size(); ++i) {
      const RuleOperation& operation = rule_.left[i];
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
  bool parameters_stand_as_inputs(const RuleOperation& operation, std::size_t index) const {
    return std::ranges::all_of(match_.nodes[index], [&](NodeId id) {
      return std::ranges::all_of(*graph_.node(id).attributes, [&](const Attribute& attribute) {
        return is_default(operation.op, attribute.name, term_of(attribute.value), setting_);
      });
    });
  }

  bool attributes_fit(const RuleOperation& operation, const NamedTerms& terms) {
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
    if (rule_.loose_inputs.empty() || classes_ != nullptr) return true;
    std::vector<bool> seen(graph_.node_slots(), false);
    std::vector<NodeId> stack;
    const auto push = [&](ValueId id) {
      const NodeId producer = id.valid() ? graph_.value(id).producer : NodeId();
      if (!producer.valid() || seen[producer.index()]) return;
      seen[producer.index()] = true;
      stack.push_back(producer);
    };
    for (const std::size_t variable : rule_.loose_inputs)
      for (const ValueId id : match_.bindings.tensors[variable]) push(id);
    while (!stack.empty()) {
      const NodeId id = stack.back();
      stack.pop_back();
      if (takes(match_, id)) return false;
      for (const ValueId input : graph_.node(id).inputs) push(input);
    }
    return true;
  }

  Match& match_;
  const Rule& rule_;
  const Graph& graph_;
  const RuleSetting& setting_;
  const ValueClasses* classes_;
  std::vector<bool> rest_bound_;
};

}  // namespace

bool takes(const Match& match, NodeId node) {
  return std::ranges::any_of(match.nodes,
                             [&](const auto& nodes) { return std::ranges::find(nodes, node) != nodes.end(); });
}

bool hold_early(const Match& match, const MatchStep& step) {
  return step.decides.empty() ||
         (tensors_are_typed(match.bindings) && std::ranges::all_of(step.decides, [&](std::size_t each) {
            return holds(match.rule->conditions[each].truth, match.bindings);
          }));
}

bool completed_by_conditions(Match& match, const RuleSetting& setting, const ValueClasses* classes) {
  return MatchConditions(match, setting, classes).hold();
}

}  // namespace hone
