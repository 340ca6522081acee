#include "rewrite/search/rule_starts.h"

#include <algorithm>

namespace hone {
namespace {

bool mentions(const RuleOperation& operation, std::size_t tensor) {
  return std::ranges::find(operation.outputs, tensor) != operation.outputs.end() ||
         std::ranges::any_of(operation.operands, [&](const Operand& operand) {
           return operand.kind == Operand::Kind::tensor && operand.variable == tensor;
         });
}

void add_once(std::vector<NodeId>& ids, NodeId id) {
  if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
}

}  // namespace

RuleStarts::RuleStarts(std::span<const Rule* const> rules) : rules_(rules.begin(), rules.end()) {
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const Rule& rule = *rules_[i];
    std::vector<Link>& links = links_.emplace_back(rule.left.size());
    for (std::size_t step = 1; step < rule.steps.size(); ++step) {
      const MatchStep& taken = rule.steps[step];
      // The matcher came here from some operation before it that has the same tensor; any will do.
      const auto met = std::find_if(rule.steps.begin(), rule.steps.end(), [&](const MatchStep& earlier) {
        return mentions(rule.left[earlier.operation], taken.variable);
      });
      links[taken.operation] = {.next = met->operation, .through_inputs = taken.way == MatchStep::Way::reader};
    }
    from_[rule.left[rule.steps[0].operation].op].push_back(i);
    for (std::size_t operation = 0; operation < rule.left.size(); ++operation)
      places_[rule.left[operation].op].push_back({.rule = i, .operation = operation});
  }
}

const std::vector<std::size_t>& RuleStarts::rules_from(const OpName* op) const {
  static const std::vector<std::size_t> kNone;
  const auto found = from_.find(op);
  return found == from_.end() ? kNone : found->second;
}

std::vector<NodeId> RuleStarts::neighbours(const Graph& graph, NodeId id, const Place& from) const {
  const Link& link = links_[from.rule][from.operation];
  const OpName* wanted = rules_[from.rule]->left[link.next].op;
  std::vector<NodeId> found;
  const auto consider = [&](NodeId each) {
    if (each.valid() && graph.node(each).op == wanted) add_once(found, each);
  };
  const Node& node = graph.node(id);
  const std::span<const ValueId> values = link.through_inputs
                                              ? std::span<const ValueId>(node.inputs.begin(), node.inputs.size())
                                              : std::span<const ValueId>(node.outputs.begin(), node.outputs.size());
  for (const ValueId value : values) {
    if (!value.valid()) continue;
    if (link.through_inputs) consider(graph.value(value).producer);
    for (const Use& use : graph.users(value)) consider(use.node);
  }
  return found;
}

std::vector<RuleStart> RuleStarts::through(const Graph& graph, NodeId id) const {
  std::vector<RuleStart> starts;
  const auto places = places_.find(graph.node(id).op);
  if (places == places_.end()) return starts;
  for (Place place : places->second) {
    const std::size_t root = rules_[place.rule]->steps[0].operation;
    std::vector<NodeId> front = {id};
    for (; place.operation != root && !front.empty(); place.operation = links_[place.rule][place.operation].next) {
      std::vector<NodeId> nearer;
      for (const NodeId each : front)
        for (const NodeId neighbour : neighbours(graph, each, place)) add_once(nearer, neighbour);
      front = std::move(nearer);
    }
    for (const NodeId each : front) starts.push_back({.root = each, .rule = place.rule});
  }
  return starts;
}

}  // namespace hone
