#include "graph/ir/structural_hash.h"

#include <algorithm>
#include <bit>

#include "base/hash.h"
#include "graph/ir/order.h"
#include "graph/ir/scope.h"

namespace hone {
namespace {

using Hashes = std::vector<std::uint64_t>;

// What a word stands for, so that equal words in different roles differ.
enum Role : std::uint64_t { kInput = 1, kCapture, kConstant, kNode, kSlot, kOutput, kUse, kGraph, kAbsent };

std::uint64_t hash_of(const Type& type) {
  std::uint64_t hash = mix(static_cast<std::uint64_t>(type.kind), static_cast<std::uint64_t>(type.element));
  hash = mix(hash, type.ranked ? 1 + type.shape.size() : 0);
  for (const Dim d : type.shape) hash = hash_text(d.text(), hash);
  return type.inner ? mix(hash, hash_of(*type.inner)) : hash;
}

std::uint64_t hash_of(const OpName& op) { return hash_text(op.overload, hash_text(op.name, hash_text(op.domain))); }

/// Order-independent combination: a sum of mixed words tells how often each occurs.
class Multiset {
 public:
  void add(std::uint64_t word) { sum_ += mix(kGraph, word); }
  std::uint64_t hash() const { return mix(kGraph, sum_); }

 private:
  std::uint64_t sum_ = 0;
};

/// Hashes a graph whose captures stand for values that already have hashes.
///
/// Two sweeps: with the data, giving every value the hash of its expression, then against it, giving every node the
/// hash of its expression and of all that is made from its outputs. The second tells a shared node from two copies.
class GraphHash {
 public:
  GraphHash(const Graph& graph, std::span<const std::uint64_t> captured)
      : graph_(graph),
        order_(topological_order(graph)),
        values_(graph.value_count(), 0),
        nodes_(graph.node_slots(), 0) {
    hash_sources(captured);
    for (const NodeId id : order_) hash_node(id);
  }

  std::uint64_t whole() const {
    Hashes contexts(graph_.value_count(), 0);  // what becomes of each value
    for (std::size_t i = 0; i < graph_.outputs().size(); ++i) contexts[graph_.outputs()[i].index()] += mix(kOutput, i);
    Multiset parts;
    for (auto id = order_.rbegin(); id != order_.rend(); ++id)
      parts.add(spread_context(graph_.node(*id), nodes_[id->index()], contexts));
    for (const ValueId id : graph_.initializers()) parts.add(mix(values_[id.index()], contexts[id.index()]));
    for (const ValueId id : graph_.captures())
      if (contexts[id.index()] != 0) parts.add(mix(values_[id.index()], contexts[id.index()]));
    std::uint64_t hash = parts.hash();
    for (const auto list : {graph_.inputs(), graph_.outputs()}) {
      hash = mix(hash, list.size());
      for (const ValueId id : list) hash = mix(mix(hash, values_[id.index()]), contexts[id.index()]);
    }
    return hash;
  }

 private:
  void hash_sources(std::span<const std::uint64_t> captured) {
    for (const ValueId id : graph_.initializers())
      values_[id.index()] = mix(kConstant, graph_.value(id).constant->content_hash());
    for (std::size_t i = 0; i < graph_.inputs().size(); ++i) {
      const ValueId id = graph_.inputs()[i];
      values_[id.index()] = mix(mix(mix(kInput, i), hash_of(graph_.value(id).type)), values_[id.index()]);
    }
    for (std::size_t i = 0; i < graph_.captures().size(); ++i)
      values_[graph_.captures()[i].index()] = mix(kCapture, captured[i]);
  }

  std::uint64_t hash_of_value(ValueId id) const { return id.valid() ? values_[id.index()] : mix(kAbsent, 0); }

  void hash_node(NodeId id) {
    const Node& node = graph_.node(id);
    std::uint64_t hash = mix(mix(kNode, hash_of(*node.op)), node.outputs.size());
    for (const ValueId input : node.written_inputs()) hash = mix(hash, hash_of_value(input));
    hash = mix(hash, attributes_hash(node));
    nodes_[id.index()] = hash;
    for (std::size_t slot = 0; slot < node.outputs.size(); ++slot)
      if (node.outputs[slot].valid()) values_[node.outputs[slot].index()] = mix(mix(kSlot, hash), slot);
  }

  /// The hash of a node in its surroundings; adds to the contexts of what it reads.
  static std::uint64_t spread_context(const Node& node, std::uint64_t expression, Hashes& contexts) {
    std::uint64_t hash = expression;
    for (const ValueId output : node.outputs)
      hash = mix(hash, output.valid() ? contexts[output.index()] : mix(kAbsent, 0));
    const std::size_t written = node.written_inputs().size();
    for (std::size_t slot = 0; slot < node.inputs.size(); ++slot) {
      // Captured inputs have no order of their own; the body's hash says what they are for.
      if (node.inputs[slot].valid())
        contexts[node.inputs[slot].index()] += mix(mix(kUse, hash), std::min(slot, written));
    }
    return hash;
  }

  std::uint64_t attributes_hash(const Node& node) const {
    Multiset all;
    const std::vector<HeldBody> bodies = bodies_of(node);
    std::span<const HeldBody> left = bodies;
    const auto next_body = [&](const SharedGraph& body) {
      if (!body) return mix(kAbsent, 0);
      const std::uint64_t hash = body_hash(left.front());
      left = left.subspan(1);
      return hash;
    };
    for (const Attribute& attribute : *node.attributes) {
      std::uint64_t hash = hash_text(attribute.reference, hash_text(attribute.name));
      hash = mix(hash, attribute.value.index());
      all.add(std::visit([&](const auto& value) { return mix_value(hash, value, next_body); }, attribute.value));
    }
    return all.hash();
  }

  std::uint64_t body_hash(const HeldBody& body) const {
    Hashes captured;
    for (const ValueId id : body.captured) captured.push_back(values_[id.index()]);
    return GraphHash(*body.graph, captured).whole();
  }

  template <class NextBody>
  static std::uint64_t mix_value(std::uint64_t hash, std::int64_t value, NextBody&) {
    return mix(hash, static_cast<std::uint64_t>(value));
  }
  template <class NextBody>
  static std::uint64_t mix_value(std::uint64_t hash, float value, NextBody&) {
    return mix(hash, std::bit_cast<std::uint32_t>(value));
  }
  template <class NextBody>
  static std::uint64_t mix_value(std::uint64_t hash, const std::string& value, NextBody&) {
    return hash_text(value, hash);
  }
  template <class NextBody>
  static std::uint64_t mix_value(std::uint64_t hash, const OpaqueAttribute& value, NextBody&) {
    return hash_text(value.encoded, hash);
  }
  template <class NextBody>
  static std::uint64_t mix_value(std::uint64_t hash, const Tensor& value, NextBody&) {
    return mix(hash, value.type() == ElementType::undefined ? 0 : value.content_hash());
  }
  template <class NextBody>
  static std::uint64_t mix_value(std::uint64_t hash, const SharedGraph& value, NextBody& next_body) {
    return mix(hash, next_body(value));
  }
  template <class Element, class NextBody>
  static std::uint64_t mix_value(std::uint64_t hash, const std::vector<Element>& list, NextBody& next_body) {
    hash = mix(hash, list.size());
    for (const Element& element : list) hash = mix_value(hash, element, next_body);
    return hash;
  }

  const Graph& graph_;
  std::vector<NodeId> order_;
  Hashes values_;  // of each value's expression
  Hashes nodes_;   // of each node's expression
};

/// A graph by itself does not know what it captures; its captures are told apart by position.
GraphHash hash_alone(const Graph& graph) {
  Hashes positions(graph.captures().size());
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = i;
  return GraphHash(graph, positions);
}

}  // namespace

std::uint64_t structural_hash(const Graph& graph) { return mix(hash_alone(graph).whole(), graph.captures().size()); }

}  // namespace hone
