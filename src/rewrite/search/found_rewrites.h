#pragma once

#include <memory>
#include <vector>

#include "base/deadline.h"
#include "rewrite/rules/replacement.h"
#include "rewrite/search/rule_starts.h"

namespace hone {

class RewriteSpace;
struct RewriteState;

/// A rewrite that a state offers, as far as it follows from what lies around it; the states behind share it until one
/// changes something there.
struct FoundRewrite {
  Match match;                        // without its graph, which differs by state
  std::size_t rule = 0;               // by its place among the matcher's
  double seconds = 0;                 // what it adds to the cost of a graph
  std::uint64_t hash = 0;             // and to its hash
  std::int64_t nodes = 0;             // how many more nodes the graph has, those over constants not counted
  std::vector<ValueId> surroundings;  // ascending; what becomes of these decides what it removes

  RuleStart start() const { return {.root = match.root(), .rule = rule}; }
};
using FoundRewrites = std::vector<std::shared_ptr<const FoundRewrite>>;

/// Finds the rewrites of states, those that would close a cycle included: which do depends on the whole graph.
/// It ends with what it has when a deadline is over.
class RewriteFinder {
 public:
  explicit RewriteFinder(const Matcher& matcher);
  RewriteFinder(RewriteFinder&&) = default;
  RewriteFinder(const RewriteFinder&) = delete;  // matchers point to rules held here
  RewriteFinder& operator=(RewriteFinder&&) = default;
  RewriteFinder& operator=(const RewriteFinder&) = delete;

  /// By matching everywhere, in the order of nodes and then of rules.
  FoundRewrites everywhere(const RewriteSpace& space, const RewriteState& state, const Deadline& deadline) const;
  /// The same by matching around a change only: `state` is what became of `before` by `applied`.
  FoundRewrites around(const RewriteSpace& space, const RewriteState& before, const RewriteState& state,
                       const Replacement& applied, const Deadline& deadline) const;

 private:
  FoundRewrites found_at(const RewriteSpace& space, const RewriteState& state, const RuleStart& start,
                         const Deadline& deadline) const;

  std::vector<const Rule*> rules_;
  std::vector<Rule> loose_;        // the same rules, matching also where a cycle would close
  std::vector<Matcher> matchers_;  // of one of these each
  RuleStarts starts_;
};

}  // namespace hone
