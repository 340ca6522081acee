#pragma once

#include <vector>

#include "rewrite/search/space.h"

namespace hone {

/// Looks at nodes of a state, and at those that a replacement would add to it: what they cost and how they are hashed.
class Appraisal {
 public:
  /// Both must outlive the appraisal.
  Appraisal(const RewriteSpace& space, const RewriteState& state);
  /// Of a graph that is no state: says what nodes cost, and hashes none that read what was added to the original.
  Appraisal(const RewriteSpace& space, const Graph& graph);

  /// From now on values that the replacement adds are known too; it must stay where it is.
  void consider(const Replacement& replacement);
  /// Classes of the values that the replacement considered adds.
  const std::vector<std::uint64_t>& made() const { return made_; }

  /// Whether the node is computed from constants alone, and so goes away when they are folded.
  bool is_free(const Node& node) const;
  double seconds(const Node& node) const;
  std::uint64_t node_hash(const Node& node) const;
  /// The hash of a node once it reads one value instead of another.
  std::uint64_t hash_with(Node node, ValueId from, ValueId to) const;

 private:
  bool is_added(ValueId id) const { return replacement_ != nullptr && id.index() >= replacement_->first_value; }
  bool is_fixed_value(ValueId id) const;
  std::uint64_t class_of(ValueId id) const;
  const Type& type_of(ValueId id) const;
  const Tensor* contents_of(ValueId id) const;

  const RewriteSpace& space_;
  const Graph& graph_;
  const std::vector<std::uint64_t>* classes_;  // null where there are none
  RuleSetting::Defaults defaults_;
  const Replacement* replacement_ = nullptr;
  std::vector<bool> fixed_;          // of values that the replacement adds
  std::vector<std::uint64_t> made_;  // their classes
};

/// The class of a constant that rewriting adds.
std::uint64_t constant_class(const Tensor& constant);
/// The class of an output that rewriting adds, by the hash of its node.
std::uint64_t output_class(std::uint64_t node_hash, std::size_t slot);

/// Of a node's attributes, whatever their order.
std::uint64_t attributes_hash(const Node& node);

}  // namespace hone
