#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "rewrite/rules/rule.h"
#include "rewrite/rules/setting.h"

namespace hone {

/// A place where the left side of a rule stands and its conditions hold.
struct Match {
  const Rule* rule = nullptr;
  std::vector<SmallVector<NodeId, 1>> nodes;  // by operation of the left side; several for an operation over lists
  Bindings bindings;                          // its graph is the one that was matched

  NodeId root() const { return nodes[rule->steps[0].operation][0]; }
};

/// Which values of a graph are known to be equal: one of each class leads it. Nodes of a graph that has classes read
/// leaders only, so that the readers of a leader are those of its class.
class ValueClasses {
 public:
  virtual ~ValueClasses() = default;
  virtual ValueId leader(ValueId id) const = 0;
  /// All values of the class that `leader` leads, itself included.
  virtual std::span<const ValueId> members(ValueId leader) const = 0;
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
  /// Calls `visit` with every match whose root is this node, rule by rule, until it returns false. With `classes`, a
  /// value is what any node of its class makes of it; since nothing is replaced in such a graph, inner values may have
  /// other readers, and whether the right side would close a cycle is left to the caller.
  bool visit_at(const Graph& graph, NodeId root, const Visitor& visit, const ValueClasses* classes = nullptr) const;
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
