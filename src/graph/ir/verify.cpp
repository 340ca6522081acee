#include "graph/ir/verify.h"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "graph/ir/scope.h"

namespace hone {
namespace {

using Finding = std::optional<std::string>;
using NameSet = std::unordered_set<std::string_view>;

/// The names defined in a graph and in those around it.
struct Scope {
  NameSet names;
  const Scope* around = nullptr;

  bool contains(std::string_view name) const {
    return names.contains(name) || (around != nullptr && around->contains(name));
  }
};

/// Checks one graph, then the bodies inside it.
class Checker {
 public:
  Checker(const Graph& graph, const Scope* around) : graph_(graph), scope_{.names = {}, .around = around} {}

  Finding check() {
    using Check = Finding (Checker::*)();
    for (const Check step : {&Checker::check_lists, &Checker::check_producers, &Checker::check_reads,
                             &Checker::check_users, &Checker::check_constants, &Checker::check_captured,
                             &Checker::check_acyclic, &Checker::check_names, &Checker::check_bodies})
      if (Finding finding = (this->*step)()) return finding;
    return std::nullopt;
  }

 private:
  std::string describe(NodeId id) const {
    const Node& node = graph_.node(id);
    const std::string op = node.op != nullptr ? node.op->text() : "removed";
    return fmt::format("graph '{}': node {} '{}' ({})", graph_.name, id.index(), node.name, op);
  }
  std::string describe(ValueId id) const {
    return fmt::format("graph '{}': value {} '{}'", graph_.name, id.index(), graph_.value(id).name);
  }
  bool exists(ValueId id) const { return id.valid() && id.index() < graph_.value_count(); }

  /// The lists of the graph name existing values; no value comes from two places.
  Finding check_lists() {
    defined_.assign(graph_.value_count(), false);
    for (const auto list : {graph_.inputs(), graph_.outputs(), graph_.captures(), graph_.initializers(),
                            graph_.encoded_sources(), graph_.described()})
      for (const ValueId id : list)
        if (!exists(id)) return fmt::format("graph '{}': a list names a value that does not exist", graph_.name);
    for (const auto list : {graph_.inputs(), graph_.captures(), graph_.encoded_sources()}) {
      for (const ValueId id : list) {
        if (defined_[id.index()]) return describe(id) + " is listed twice among inputs and captures";
        defined_[id.index()] = true;
      }
    }
    std::vector<bool> listed(graph_.value_count(), false);
    for (const ValueId id : graph_.initializers()) {
      if (listed[id.index()]) return describe(id) + " is listed twice among the initialisers";
      listed[id.index()] = true;
    }
    for (std::size_t i = 0; i < graph_.value_count(); ++i)
      if (listed[i] != graph_.value(ValueId(i)).constant.has_value())
        return describe(ValueId(i)) +
               (listed[i] ? " is an initialiser without contents" : " is a constant that is not listed");
    for (const ValueId id : graph_.captures())
      if (listed[id.index()]) return describe(id) + " is both a capture and a constant";
    return std::nullopt;
  }

  /// A node's outputs point back at it, and every producer is a living node that has the value at that slot.
  Finding check_producers() {
    std::size_t living = 0;
    for (std::size_t i = 0; i < graph_.node_slots(); ++i) {
      const NodeId id(i);
      if (!graph_.alive(id)) continue;
      ++living;
      const Node& node = graph_.node(id);
      if (node.attributes == nullptr) return describe(id) + " has no attribute list";
      for (std::size_t slot = 0; slot < node.outputs.size(); ++slot) {
        const ValueId output = node.outputs[slot];
        if (!output.valid()) continue;
        if (!exists(output)) return describe(id) + " writes a value that does not exist";
        const Value& value = graph_.value(output);
        if (value.producer != id || value.slot != slot)
          return describe(output) + " does not know that it is written by " + describe(id);
      }
    }
    if (living != graph_.node_count())
      return fmt::format("graph '{}' counts {} nodes but has {}", graph_.name, graph_.node_count(), living);
    for (std::size_t i = 0; i < graph_.value_count(); ++i) {
      const Value& value = graph_.value(ValueId(i));
      if (!value.producer.valid()) continue;
      if (value.producer.index() >= graph_.node_slots() || !graph_.alive(value.producer))
        return describe(ValueId(i)) + " is produced by no living node";
      const Node& producer = graph_.node(value.producer);
      if (value.slot >= producer.outputs.size() || producer.outputs[value.slot] != ValueId(i))
        return describe(ValueId(i)) + " is not an output of its producer, " + describe(value.producer);
      if (defined_[i] || value.constant)
        return describe(ValueId(i)) + " is produced although it is an input, capture or constant";
    }
    return std::nullopt;
  }

  bool is_defined(ValueId id) const {
    return defined_[id.index()] || graph_.value(id).constant || graph_.value(id).producer.valid();
  }

  Finding check_reads() {
    for (const NodeId id : graph_.nodes()) {
      for (const ValueId input : graph_.node(id).inputs) {
        if (!input.valid()) continue;
        if (!exists(input)) return describe(id) + " reads a value that does not exist";
        if (!is_defined(input))
          return describe(id) + fmt::format(" reads '{}', which nothing defines", graph_.value(input).name);
      }
    }
    for (const ValueId output : graph_.outputs())
      if (!is_defined(output)) return describe(output) + " is an output that nothing defines";
    return std::nullopt;
  }

  /// Every use is a true one, none is listed twice, and there are as many uses as inputs.
  Finding check_users() {
    std::vector<std::size_t> reads(graph_.value_count(), 0);
    for (const NodeId id : graph_.nodes())
      for (const ValueId input : graph_.node(id).inputs)
        if (input.valid()) ++reads[input.index()];
    for (std::size_t i = 0; i < graph_.value_count(); ++i) {
      const ValueId id(i);
      std::unordered_set<std::uint64_t> seen;
      for (const Use use : graph_.users(id)) {
        if (!use.node.valid() || use.node.index() >= graph_.node_slots() || !graph_.alive(use.node))
          return describe(id) + " has a user that does not exist";
        const Node& node = graph_.node(use.node);
        if (use.slot >= node.inputs.size() || node.inputs[use.slot] != id)
          return describe(id) + " lists a use that is none, by " + describe(use.node);
        if (!seen.insert(std::uint64_t{use.node.index()} << 32 | use.slot).second)
          return describe(id) + " lists a use twice, by " + describe(use.node);
      }
      if (seen.size() != reads[i])
        return describe(id) + fmt::format(" has {} users but is read {} times", seen.size(), reads[i]);
    }
    return std::nullopt;
  }

  Finding check_constants() {
    for (const ValueId id : graph_.initializers()) {
      const Value& value = graph_.value(id);
      if (!(value.type == Type::tensor(value.constant->type(), value.constant->shape())))
        return describe(id) + fmt::format(" is of type {} but its elements are {}", text_of(value.type),
                                          text_of(Type::tensor(value.constant->type(), value.constant->shape())));
    }
    return std::nullopt;
  }

  Finding check_captured() {
    for (const NodeId id : graph_.nodes()) {
      const Node& node = graph_.node(id);
      if (node.captured > node.inputs.size()) return describe(id) + " captures more values than it has inputs";
      const std::size_t wanted = capture_count(*node.attributes);
      if (wanted != node.captured)
        return describe(id) + fmt::format(" has {} captured inputs, but its bodies capture {}", node.captured, wanted);
      for (const ValueId captured : node.captured_inputs())
        if (!captured.valid()) return describe(id) + " has an omitted captured input";
    }
    return std::nullopt;
  }

  /// Takes away nodes all of whose producers are gone until none is left; what remains is on or behind a cycle.
  Finding check_acyclic() {
    std::vector<std::size_t> waiting(graph_.node_slots(), 0);
    std::vector<NodeId> ready;
    for (const NodeId id : graph_.nodes()) {
      for (const ValueId input : graph_.node(id).inputs)
        if (input.valid() && graph_.value(input).producer.valid()) ++waiting[id.index()];
      if (waiting[id.index()] == 0) ready.push_back(id);
    }
    std::size_t taken = 0;
    while (!ready.empty()) {
      const NodeId id = ready.back();
      ready.pop_back();
      ++taken;
      for (const ValueId output : graph_.node(id).outputs) {
        if (!output.valid()) continue;
        for (const Use use : graph_.users(output))
          if (--waiting[use.node.index()] == 0) ready.push_back(use.node);
      }
    }
    if (taken == graph_.node_count()) return std::nullopt;
    for (const NodeId id : graph_.nodes())
      if (waiting[id.index()] > 0) return describe(id) + " waits for itself: it is on a cycle or behind one";
    return std::nullopt;
  }

  /// A capture is named in the graph around, so its own name is of no account.
  Finding check_names() {
    std::vector<bool> is_capture(graph_.value_count(), false);
    for (const ValueId id : graph_.captures()) is_capture[id.index()] = true;
    for (std::size_t i = 0; i < graph_.value_count(); ++i) {
      const ValueId id(i);
      if (is_capture[i] || !is_defined(id)) continue;
      const std::string_view name = graph_.value(id).name;
      if (name.empty()) return describe(id) + " has no name";
      if (!scope_.names.insert(name).second) return describe(id) + " has the name of another value";
      if (scope_.around != nullptr && scope_.around->contains(name))
        return describe(id) + " has the name of a value in a graph around it";
    }
    return std::nullopt;
  }

  Finding check_bodies() {
    for (const NodeId id : graph_.nodes())
      for (const HeldBody& body : bodies_of(graph_.node(id)))
        if (Finding finding = Checker(*body.graph, &scope_).check()) return describe(id) + ": " + *finding;
    return std::nullopt;
  }

  const Graph& graph_;
  std::vector<bool> defined_;  // inputs and captures
  Scope scope_;
};

Finding verify_closed(const Graph& graph) {
  if (!graph.captures().empty()) return fmt::format("graph '{}' captures values but nothing is around it", graph.name);
  return Checker(graph, nullptr).check();
}

}  // namespace

std::optional<std::string> verify(const Graph& graph) { return Checker(graph, nullptr).check(); }

std::optional<std::string> verify(const Model& model) {
  if (Finding finding = verify_closed(model.graph)) return finding;
  std::unordered_set<const OpName*> defined;
  for (const Function& function : model.functions) {
    if (function.op == nullptr) return "a function has no operator";
    if (!defined.insert(function.op).second) return fmt::format("function {} is defined twice", function.op->text());
    if (Finding finding = verify_closed(function.body))
      return fmt::format("function {}: {}", function.op->text(), *finding);
  }
  return std::nullopt;
}

}  // namespace hone
