#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/deadline.h"
#include "rewrite/search/found_rewrites.h"
#include "rewrite/search/pricing.h"

namespace hone {

/// A graph reached by rewriting, with what it costs and how it was reached. Never changed once made.
struct RewriteState {
  Graph graph;                                 // shares all that is unchanged with the state before
  double seconds = 0;                          // sum over its nodes
  std::uint64_t hash = 0;                      // equal for graphs that are built from the same operations
  std::vector<std::uint64_t> classes;          // of values that rewriting added: a hash of what each computes
  std::shared_ptr<const RewriteState> before;  // null at the start
  const Rule* rule = nullptr;                  // that led here; null where many did at once
  Change change;                               // what it did to the graph before
  std::size_t depth = 0;                       // number of rewrites since the start
  FoundRewrites found;                         // what it offers
};
using StatePointer = std::shared_ptr<const RewriteState>;

/// One rewrite that a state offers, with what it leads to. Costs are known without building the graph.
struct RewriteOption {
  std::shared_ptr<const Match> match;
  double seconds = 0;
  std::uint64_t hash = 0;
  std::int64_t nodes = 0;  // how many more nodes the graph has, those over constants not counted
};

/// All graphs that rules can make of one model, and what each costs.
///
/// The cost of a graph is the sum of its nodes; nodes over constants alone cost nothing, as they are folded in the end.
/// A rewrite changes cost and hash by what it removes and adds, so that judging one takes time in the size of the rule,
/// not of the graph. The hash is a sum over nodes of operator, attributes and *classes* of inputs: values that the
/// model came with keep their class when a rewrite computes them differently, which it does with equal results, and so
/// the nodes that read them keep their hash.
///
/// Only what lies around a rewrite is matched again after it; all other rewrites are shared with the state before.
///
/// Reading it from several threads is safe; pricings are asked by one at a time.
///
/// Whatever takes a deadline finds fewer rewrites than there are once that is over; graphs and their costs are right.
class RewriteSpace {
 public:
  /// Types must have been inferred and the model cleaned. The pricing must outlive the space.
  RewriteSpace(const Model& model, Matcher matcher, const NodePricing& pricing, const Deadline& deadline = {});

  const Matcher& matcher() const { return matcher_; }
  StatePointer start() const { return start_; }
  /// How many values the model came with.
  std::size_t original_values() const { return original_values_; }

  /// All rewrites that a state offers, in a fixed order.
  std::vector<RewriteOption> options(const RewriteState& state, const Deadline& deadline = {}) const;
  /// The state that an option of `state` leads to.
  StatePointer take(const StatePointer& state, const RewriteOption& option, const Deadline& deadline = {}) const;

  /// The state of a graph that was made from the start's by other means; its values have the ids they have there.
  StatePointer adopt(Graph graph, const Deadline& deadline = {}) const;

  /// What a node costs where it stands.
  double node_seconds(const Graph& graph, NodeId id) const;
  /// What a node costs; each configuration is priced once.
  double price(const PricedNode& node) const;

  /// The state's graph as a model: constants folded, dead code removed, new values named, types inferred, checked.
  /// Metadata and signature are the original's.
  Model finish(const Model& original, const RewriteState& state) const;

 private:
  Matcher matcher_;
  RewriteFinder finder_;
  const NodePricing& pricing_;
  std::size_t original_values_;
  StatePointer start_;
  mutable std::mutex pricing_nodes_;
  mutable std::unordered_map<std::uint64_t, double> prices_;  // by configuration
};

}  // namespace hone
