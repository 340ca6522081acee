#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "rewrite/rules/match.h"
#include "rewrite/rules/replacement.h"

namespace hone {

/// An e-graph over a graph: all graphs that a set of rewrites can make of it, in the space of one.
///
/// It is an ordinary graph with classes of equal values beside it, so that rules, normal forms, inference and prices
/// operation on it as they are. Its nodes are the e-nodes: they read leaders of classes only, and each writes values of
/// its own, also where another node computes the same in another way:
///
///   y = Relu(t)   t  = MatMul(x, w)        class {t, u} is led by t; Relu reads t,
///                 u, v = Split(m)          and may have it from either node
///
/// Values of one class have equal types. Equal nodes are one; `rebuild` restores that after classes joined. A class
/// with a constant or an input is led by it, so that what rules know of a value is what is known of its class.
///
/// Every value has an age: the producer of the oldest value of a class reads classes whose oldest values are older
/// still. So there is always a choice of producers without a cycle, whatever cycles joining has closed.
class EGraph final : public ValueClasses {
 public:
  EGraph(const Graph& graph, RuleSetting setting);

  const Graph& graph() const { return graph_; }
  ValueId leader(ValueId id) const override;
  std::span<const ValueId> members(ValueId leader) const override { return members_[leader.index()]; }
  /// Leaders of all classes by ascending id.
  std::vector<ValueId> leaders() const;
  /// The value of a class that has been there longest.
  ValueId oldest(ValueId leader) const;
  /// Whether no node makes the value: an input or a constant.
  bool is_source(ValueId id) const { return !graph_.value(id).producer.valid(); }

  /// Adds what a replacement adds; its outputs join the classes of the values that they stand for. Values are those of
  /// this graph when the replacement was made. Nothing is removed.
  void add(const Replacement& replacement);
  /// Adds a graph that rewrites made of the one this began with; values of that have their ids in both.
  void add(const Graph& rewritten);
  /// Makes nodes that have become equal one.
  void rebuild();

 private:
  using Ids = SmallVector<ValueId, 1>;
  ValueId new_value(const Type& type);
  ValueId constant(const Tensor& tensor);
  Ids insert(Node node, std::span<const Type> types);
  NodeId twin_of(const Node& node) const;
  bool is_shareable(const Node& node) const;
  void enter(NodeId id);
  void leave(NodeId id);
  void disturb_readers(ValueId id);
  bool join(ValueId a, ValueId b);
  void lead(ValueId id);
  int rank(ValueId id) const;
  void repair(NodeId id);
  void unite(NodeId kept, NodeId dropped);

  Graph graph_;
  RuleSetting setting_;
  std::size_t originals_;                      // values that the graph came with
  mutable std::vector<ValueId> parents_;       // union-find, by value
  std::vector<std::vector<ValueId>> members_;  // by leader
  std::vector<std::uint32_t> ages_;            // by value
  std::uint32_t next_age_ = 1;
  std::unordered_multimap<std::uint64_t, NodeId> table_;       // shareable nodes by what they compute
  std::vector<std::uint64_t> keys_;                            // by node, 0 for one that is not in the table
  std::unordered_multimap<std::uint64_t, ValueId> constants_;  // small ones by contents
  std::vector<NodeId> disturbed_;                              // whose inputs are other values than in the table
};

}  // namespace hone
