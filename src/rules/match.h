#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "rules/rule.h"
#include "rules/setting.h"

namespace hone {

/// A place where the left side of a rule stands and its conditions hold.
struct Match {
  const Rule* rule = nullptr;
  std::vector<SmallVector<NodeId, 1>> nodes;  // by operation of the left side; several for an operation over lists
  Bindings bindings;                          // its graph is the one that was matched

  NodeId root() const { return nodes[rule->steps[0].operation][0]; }
};

/// Finds matches of a set of rules, indexed by the operator each starts from.
class Matcher {
 public:
  /// Rules of domains that the setting does not allow are left out.
  Matcher(std::span<const Rule* const> rules, RuleSetting setting);

  const RuleSetting& setting() const { return setting_; }
  const std::vector<const Rule*>& rules() const { return rules_; }

  /// Return false to stop.
  using Visitor = std::function<bool(const Match&)>;
  /// Calls `visit` with every match whose root is this node, rule by rule, until it returns false.
  bool visit_at(const Graph& graph, NodeId root, const Visitor& visit) const;
  /// The same for all nodes by ascending id.
  bool visit(const Graph& graph, const Visitor& visit) const;
  /// All matches; of two that do the same only the first.
  std::vector<Match> matches(const Graph& graph) const;

 private:
  RuleSetting setting_;
  std::vector<const Rule*> rules_;
  std::unordered_map<const OpName*, std::vector<const Rule*>> by_root_;
};

/// Whether swapping the operator's two operands changes nothing.
bool is_commutative(const OpName* op);

}  // namespace hone
