#pragma once

#include <compare>
#include <unordered_map>
#include <vector>

#include "rewrite/rules/match.h"

namespace hone {

/// Where the matcher would have to start a rule.
struct RuleStart {
  NodeId root;
  std::size_t rule = 0;  // by its place in the list of rules
  friend auto operator<=>(const RuleStart&, const RuleStart&) = default;
};

/// Rules by the operators they speak of: tells which of them, started where, could have a match around a node. So only
/// what lies around a change has to be matched again.
class RuleStarts {
 public:
  /// The rules must outlive this.
  explicit RuleStarts(std::span<const Rule* const> rules);

  /// Rules that start from this operator, in order.
  const std::vector<std::size_t>& rules_from(const OpName* op) const;
  /// A start for every match that contains the node, and for some that do not come to one; in no order.
  std::vector<RuleStart> through(const Graph& graph, NodeId id) const;

 private:
  /// How to come from an operation of a left side one step nearer to the root.
  struct Link {
    std::size_t next = 0;
    bool through_inputs = false;  // `next` reads or makes what the operation reads, else reads what it makes
  };
  struct Place {
    std::size_t rule = 0, operation = 0;
  };
  std::vector<NodeId> neighbours(const Graph& graph, NodeId id, const Place& from) const;

  std::vector<const Rule*> rules_;
  std::vector<std::vector<Link>> links_;  // by rule and operation
  std::unordered_map<const OpName*, std::vector<Place>> places_;
  std::unordered_map<const OpName*, std::vector<std::size_t>> from_;
};

}  // namespace hone
