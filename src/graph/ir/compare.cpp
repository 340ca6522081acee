#include "graph/ir/compare.h"

#include <algorithm>
#include <bit>

#include "graph/ir/scope.h"

namespace hone {
namespace {

using Names = std::span<const std::string_view>;

bool same_notes(const SharedNotes& a, const SharedNotes& b) {
  static const Notes none;
  return (a ? *a : none) == (b ? *b : none);
}

bool same_bits(float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }

/// Values of one kind; bodies are compared by `same_body`.
template <class SameBody>
bool same_value(const AttributeValue& a, const AttributeValue& b, SameBody same_body) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&](const auto& left) {
        using T = std::decay_t<decltype(left)>;
        const T& right = std::get<T>(b);
        if constexpr (std::is_same_v<T, float>) return same_bits(left, right);
        else if constexpr (std::is_same_v<T, std::vector<float>>) return std::ranges::equal(left, right, same_bits);
        else if constexpr (std::is_same_v<T, SharedGraph>) return same_body(left, right);
        else if constexpr (std::is_same_v<T, std::vector<SharedGraph>>)
          return std::ranges::equal(left, right, same_body);
        else return left == right;
      },
      a);
}

template <class SameBody>
bool same_attribute(const Attribute& a, const Attribute& b, SameBody same_body) {
  if (a.name != b.name || a.reference != b.reference) return false;
  // What a reference stands for comes from the call, so only its kind counts.
  const bool kind_only = !a.reference.empty() && !std::holds_alternative<OpaqueAttribute>(a.value);
  return kind_only ? a.value.index() == b.value.index() : same_value(a.value, b.value, same_body);
}

bool same_structure_shared(const SharedGraph& a, const SharedGraph& b) {
  return a == b || (a && b && same_structure(*a, *b));
}

/// As sets, except that bodies must come in the same order: their captures are told apart by it.
bool same_meanings(const Node& a, const Node& b) {
  const Attributes &left = *a.attributes, &right = *b.attributes;
  if (a.attributes == b.attributes) return true;
  if (left.size() != right.size()) return false;
  if (a.captured > 0) return std::ranges::equal(left, right, same_meaning);
  return std::ranges::all_of(left, [&](const Attribute& attribute) {
    const Attribute* other = find(right, attribute.name);
    return other != nullptr && same_meaning(attribute, *other);
  });
}

/// Compares graphs by what a file says of them.
class TextComparison {
 public:
  TextComparison(const Graph& a, const Graph& b, Names names_a, Names names_b)
      : a_(a), b_(b), names_a_(names_a), names_b_(names_b) {}

  bool same() const {
    const std::vector<NodeId> nodes_a = a_.nodes(), nodes_b = b_.nodes();
    return same_declarations(a_.inputs(), b_.inputs()) && same_declarations(a_.outputs(), b_.outputs()) &&
           same_declarations(a_.initializers(), b_.initializers()) &&
           same_declarations(a_.described(), b_.described()) &&
           std::ranges::equal(nodes_a, nodes_b, [&](NodeId a, NodeId b) { return same_node(a_.node(a), b_.node(b)); });
  }

 private:
  bool same_declarations(std::span<const ValueId> a, std::span<const ValueId> b) const {
    return std::ranges::equal(a, b, [&](ValueId left, ValueId right) {
      const Value &x = a_.value(left), &y = b_.value(right);
      return same_name(left, right) && x.type == y.type && x.constant == y.constant && same_notes(x.notes, y.notes);
    });
  }

  bool same_name(ValueId a, ValueId b) const {
    if (!a.valid() || !b.valid()) return a.valid() == b.valid();
    return names_a_[a.index()] == names_b_[b.index()];
  }

  bool same_node(const Node& a, const Node& b) const {
    const auto same_names = [&](ValueId left, ValueId right) { return same_name(left, right); };
    return a.op == b.op && a.name == b.name && same_notes(a.notes, b.notes) &&
           std::ranges::equal(a.outputs, b.outputs, same_names) &&
           std::ranges::equal(a.written_inputs(), b.written_inputs(), same_names) &&
           std::ranges::equal(*a.attributes, *b.attributes, same_written) &&
           std::ranges::equal(bodies_of(a), bodies_of(b),
                              [&](const HeldBody& x, const HeldBody& y) { return same_body(x, y); });
  }

  /// Everything but the bodies.
  static bool same_written(const Attribute& a, const Attribute& b) {
    const auto both_there = [](const SharedGraph& x, const SharedGraph& y) { return (x != nullptr) == (y != nullptr); };
    return same_attribute(a, b, both_there) && same_notes(a.notes, b.notes);
  }

  bool same_body(const HeldBody& a, const HeldBody& b) const {
    const std::vector<std::string_view> names_a = scoped_names(a, names_a_), names_b = scoped_names(b, names_b_);
    return a.graph->name == b.graph->name && same_notes(a.graph->notes, b.graph->notes) &&
           TextComparison(*a.graph, *b.graph, names_a, names_b).same();
  }

  const Graph &a_, &b_;
  Names names_a_, names_b_;
};

bool same_text(const Graph& a, const Graph& b) { return TextComparison(a, b, scoped_names(a), scoped_names(b)).same(); }

/// A function's body goes by the name of its operator, whatever name it carries.
bool same_function(const Function& a, const Function& b) {
  const auto same_default = [](const Attribute& x, const Attribute& y) {
    return same_meaning(x, y) && same_notes(x.notes, y.notes);
  };
  return a.op == b.op && a.attributes == b.attributes && a.opsets == b.opsets && same_notes(a.notes, b.notes) &&
         std::ranges::equal(a.defaults, b.defaults, same_default) && same_text(a.body, b.body);
}

/// Compares graphs by what they compute, pairing their values up as they are met.
class StructureComparison {
 public:
  StructureComparison(const Graph& a, const Graph& b) : a_(a), b_(b), partner_(a.value_count()) {}

  bool same() {
    const std::vector<NodeId> nodes_a = a_.nodes(), nodes_b = b_.nodes();
    if (!pair_sources(a_.inputs(), b_.inputs()) || !pair_sources(a_.captures(), b_.captures())) return false;
    const auto pair = [&](NodeId left, NodeId right) { return pair_outputs(a_.node(left), b_.node(right)); };
    if (!std::ranges::equal(nodes_a, nodes_b, pair)) return false;
    const auto wired = [&](NodeId left, NodeId right) { return same_wiring(a_.node(left), b_.node(right)); };
    return std::ranges::equal(nodes_a, nodes_b, wired) && same_values(a_.outputs(), b_.outputs());
  }

 private:
  bool pair_sources(std::span<const ValueId> a, std::span<const ValueId> b) {
    return std::ranges::equal(a, b, [&](ValueId left, ValueId right) {
      const Value &x = a_.value(left), &y = b_.value(right);
      partner_[left.index()] = right;
      return x.type == y.type && x.constant == y.constant;
    });
  }

  bool pair_outputs(const Node& a, const Node& b) {
    return a.op == b.op && same_meanings(a, b) &&
           std::ranges::equal(a.outputs, b.outputs, [&](ValueId left, ValueId right) {
             if (left.valid()) partner_[left.index()] = right;
             return left.valid() == right.valid();
           });
  }

  bool same_wiring(const Node& a, const Node& b) {
    return a.captured == b.captured &&
           same_values({a.inputs.begin(), a.inputs.size()}, {b.inputs.begin(), b.inputs.size()});
  }

  bool same_values(std::span<const ValueId> a, std::span<const ValueId> b) {
    return std::ranges::equal(a, b, [&](ValueId left, ValueId right) {
      if (!left.valid() || !right.valid()) return left.valid() == right.valid();
      ValueId& partner = partner_[left.index()];
      if (!partner.valid() && a_.value(left).constant && a_.value(left).constant == b_.value(right).constant)
        partner = right;
      return partner == right;
    });
  }

  const Graph &a_, &b_;
  std::vector<ValueId> partner_;  // in b of each value of a
};

}  // namespace

bool same_meaning(const Attribute& a, const Attribute& b) { return same_attribute(a, b, same_structure_shared); }

bool same_structure(const Graph& a, const Graph& b) { return StructureComparison(a, b).same(); }

bool same_computation(const Node& a, const Node& b) {
  return a.op == b.op && a.captured == b.captured && a.inputs == b.inputs && same_meanings(a, b);
}

bool same_graph(const Graph& a, const Graph& b) {
  return a.name == b.name && same_notes(a.notes, b.notes) && same_text(a, b);
}

bool same_model(const Model& a, const Model& b) {
  return a.opsets == b.opsets && a.ir_version == b.ir_version && a.model_version == b.model_version &&
         a.producer_name == b.producer_name && a.producer_version == b.producer_version && a.domain == b.domain &&
         same_notes(a.notes, b.notes) && same_graph(a.graph, b.graph) &&
         std::ranges::equal(a.functions, b.functions, same_function);
}

}  // namespace hone
