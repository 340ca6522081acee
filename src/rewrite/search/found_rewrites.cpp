#include "rewrite/search/found_rewrites.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "rewrite/search/appraisal.h"

namespace hone {
namespace {

/// Values whose producers or readers decide what a replacement removes and which hashes it changes.
std::vector<ValueId> surroundings_of(const Graph& graph, const Match& match, const Replacement& change) {
  std::set<ValueId> values;
  const auto add = [&](const auto& ids) {
    for (const ValueId id : ids)
      if (id.valid()) values.insert(id);
  };
  for (const auto& nodes : match.nodes)
    for (const NodeId id : nodes) add(graph.node(id).outputs);
  for (const NodeId id : change.removed) {
    add(graph.node(id).inputs);
    add(graph.node(id).outputs);
    for (const ValueId input : graph.node(id).inputs)
      if (input.valid() && graph.value(input).producer.valid()) add(graph.node(graph.value(input).producer).outputs);
  }
  for (const auto& alias : change.aliases)
    for (const Use& use : graph.users(alias.first)) add(graph.node(use.node).inputs);
  return {values.begin(), values.end()};
}

/// What the rewrite of a match adds to a state; null when it cannot be made.
std::shared_ptr<const FoundRewrite> appraise(const RewriteSpace& space, const RewriteState& state, const Match& match,
                                             std::size_t rule) {
  const std::optional<Replacement> change = replacement(match, space.matcher().setting());
  if (!change) return nullptr;
  Appraisal appraisal(space, state);
  appraisal.consider(*change);
  auto found = std::make_shared<FoundRewrite>();
  for (const Node& node : change->nodes) {
    found->seconds += appraisal.seconds(node);
    found->hash += appraisal.node_hash(node);
    found->nodes += appraisal.is_free(node) ? 0 : 1;
  }
  for (const NodeId id : change->removed) {
    const Node& node = state.graph.node(id);
    found->seconds -= appraisal.seconds(node);
    found->hash -= appraisal.node_hash(node);
    found->nodes -= appraisal.is_free(node) ? 0 : 1;
  }
  for (const auto& [from, to] : change->aliases)
    for (const Use& use : state.graph.users(from))
      if (std::ranges::find(change->removed, use.node) == change->removed.end())
        found->hash +=
            appraisal.hash_with(state.graph.node(use.node), from, to) - appraisal.node_hash(state.graph.node(use.node));
  found->surroundings = surroundings_of(state.graph, match, *change);
  found->match = match;
  found->match.bindings.graph = nullptr;
  found->rule = rule;
  return found;
}

/// What a replacement changed in a graph, and where matches may have appeared or gone.
class Difference {
 public:
  Difference(const Graph& before, const Graph& after, RuleSetting::Defaults defaults)
      : before_(before), after_(after), defaults_(defaults) {}

  void collect(const Replacement& applied, const std::vector<NodeId>& added) {
    for (const NodeId id : applied.removed) {
      changed_.push_back(id);
      note(before_.node(id));
    }
    for (const NodeId id : added) {
      seeds_.insert(id);
      note(after_.node(id));
      for (const ValueId output : after_.node(id).outputs)
        if (output.valid() && is_old(output)) lost_producer(output);
    }
    for (const auto& [from, to] : applied.aliases) {
      values_.insert({from, to});
      lost_producer(from);
      for (const Use& use : before_.users(from)) change_node(use.node);
      if (is_fixed(before_, from, defaults_) != is_fixed(after_, to, defaults_))
        for (const Use& use : before_.users(from)) spread_constness(use.node);
    }
    for (const NodeId id : added)
      for (const ValueId output : after_.node(id).outputs)
        if (output.valid() && is_old(output)) compare_constness(output);
    look_around();
  }

  /// Nodes that a match found before can no longer rely on.
  bool has_changed(NodeId id) const { return std::ranges::find(changed_, id) != changed_.end(); }
  /// Values that have other readers or another producer, or became or ceased to be constant.
  bool has_changed(ValueId id) const { return values_.contains(id); }
  /// Every match that is new contains one of these nodes.
  const std::set<NodeId>& seeds() const { return seeds_; }

 private:
  bool is_old(ValueId id) const { return id.index() < before_.value_count(); }

  void note(const Node& node) {
    for (const ValueId id : node.inputs)
      if (id.valid()) values_.insert(id);
    for (const ValueId id : node.outputs)
      if (id.valid()) values_.insert(id);
  }

  void change_node(NodeId id) {
    changed_.push_back(id);
    if (after_.alive(id)) seeds_.insert(id);
  }

  /// The node that made it before may stay for its other outputs.
  void lost_producer(ValueId id) {
    if (before_.value(id).producer.valid()) change_node(before_.value(id).producer);
  }

  void compare_constness(ValueId id) {
    if (is_fixed(before_, id, defaults_) == is_fixed(after_, id, defaults_)) return;
    values_.insert(id);
    for (const Use& use : after_.users(id)) spread_constness(use.node);
  }

  /// A node one of whose inputs became or ceased to be constant: so may its outputs.
  void spread_constness(NodeId id) {
    if (!after_.alive(id)) return;
    seeds_.insert(id);
    for (const ValueId output : after_.node(id).outputs)
      if (output.valid() && is_old(output) && !values_.contains(output)) compare_constness(output);
  }

  /// Rules ask of values they make whether others read them, and of elements of lists for the only reader.
  void look_around() {
    for (const ValueId id : values_) {
      if (after_.value(id).producer.valid()) seeds_.insert(after_.value(id).producer);
      const std::size_t readers = std::min(is_old(id) ? before_.users(id).size() : 0, after_.users(id).size());
      if (readers > 1) continue;
      for (const Use& use : after_.users(id)) seeds_.insert(use.node);
    }
  }

  const Graph &before_, &after_;
  RuleSetting::Defaults defaults_;
  std::vector<NodeId> changed_;
  std::set<NodeId> seeds_;
  std::unordered_set<ValueId> values_;
};

std::vector<Rule> with_cycles(std::span<const Rule* const> rules) {
  std::vector<Rule> copies;
  for (const Rule* rule : rules) copies.emplace_back(*rule).loose_inputs.clear();
  return copies;
}

}  // namespace

RewriteFinder::RewriteFinder(const Matcher& matcher)
    : rules_(matcher.rules()), loose_(with_cycles(rules_)), starts_(rules_) {
  for (const Rule& rule : loose_) {
    const Rule* const one = &rule;
    matchers_.emplace_back(std::span(&one, 1), matcher.setting());
  }
}

FoundRewrites RewriteFinder::found_at(const RewriteSpace& space, const RewriteState& state, const RuleStart& start,
                                      const Deadline& deadline) const {
  FoundRewrites found;
  matchers_[start.rule].visit_at(state.graph, start.root, [&](const Match& loose) {
    Match match = loose;
    match.rule = rules_[start.rule];
    if (auto rewrite = appraise(space, state, match, start.rule)) found.push_back(std::move(rewrite));
    return !deadline.is_over();
  });
  return found;
}

FoundRewrites RewriteFinder::everywhere(const RewriteSpace& space, const RewriteState& state,
                                        const Deadline& deadline) const {
  FoundRewrites found;
  for (const NodeId id : state.graph.nodes())
    for (const std::size_t rule : starts_.rules_from(state.graph.node(id).op)) {
      if (deadline.is_over()) return found;
      std::ranges::move(found_at(space, state, {.root = id, .rule = rule}, deadline), std::back_inserter(found));
    }
  return found;
}

FoundRewrites RewriteFinder::around(const RewriteSpace& space, const RewriteState& before, const RewriteState& state,
                                    const Replacement& applied, const Deadline& deadline) const {
  Difference difference(before.graph, state.graph, space.matcher().setting().defaults);
  difference.collect(applied, state.change.added);
  std::set<RuleStart> again;
  for (const NodeId seed : difference.seeds())
    for (const RuleStart& start : starts_.through(state.graph, seed)) again.insert(start);
  FoundRewrites found;
  const auto is_lost = [&](const FoundRewrite& each) {
    return again.contains(each.start()) || std::ranges::any_of(each.match.nodes, [&](const auto& nodes) {
             return std::ranges::any_of(nodes, [&](NodeId id) { return difference.has_changed(id); });
           });
  };
  for (const auto& each : before.found) {
    if (deadline.is_over()) return found;
    if (is_lost(*each)) continue;
    const bool same = std::ranges::none_of(each->surroundings, [&](ValueId id) { return difference.has_changed(id); });
    if (same) {
      found.push_back(each);
      continue;
    }
    Match match = each->match;
    match.bindings.graph = &state.graph;
    if (auto rewrite = appraise(space, state, match, each->rule)) found.push_back(std::move(rewrite));
  }
  for (const RuleStart& start : again) {
    if (deadline.is_over()) break;
    std::ranges::move(found_at(space, state, start, deadline), std::back_inserter(found));
  }
  std::ranges::stable_sort(found, {}, [](const auto& each) { return each->start(); });
  return found;
}

}  // namespace hone
