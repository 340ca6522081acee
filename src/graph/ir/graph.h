#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cow_vector.h"
#include "base/id.h"
#include "base/small_vector.h"
#include "graph/ir/attribute.h"
#include "graph/ir/notes.h"
#include "graph/ir/op_name.h"
#include "graph/ir/tensor.h"
#include "graph/ir/type.h"

namespace hone {

using NodeId = Id<struct NodeTag>;
using ValueId = Id<struct ValueTag>;

/// One place where a value is read.
struct Use {
  NodeId node;
  std::uint32_t slot = 0;  // index into the node's inputs
  friend bool operator==(Use, Use) = default;
};

/// One operator application.
struct Node {
  const OpName* op = nullptr;  // null once removed
  std::string name;
  SmallVector<ValueId, 3> inputs;   // the written inputs, then what its bodies capture; an omitted input is no id
  SmallVector<ValueId, 1> outputs;  // an omitted output is no id
  std::uint32_t captured = 0;       // how many of `inputs` are captures of bodies
  SharedAttributes attributes;      // never null
  SharedNotes notes;

  std::span<const ValueId> written_inputs() const { return {inputs.data(), inputs.size() - captured}; }
  std::span<const ValueId> captured_inputs() const { return {inputs.end() - captured, captured}; }
  const Attribute* attribute(std::string_view wanted) const { return find(*attributes, wanted); }

 private:
  friend class Graph;
  SmallVector<std::uint32_t, 3> use_positions_;  // where in its value's users each input stands
};

/// One tensor (or container) flowing through the graph.
struct Value {
  std::string name;
  Type type;
  NodeId producer;                 // none for graph inputs, captures and constants
  std::uint32_t slot = 0;          // which output of the producer
  std::optional<Tensor> constant;  // an initialiser
  SmallVector<Use, 1> users;       // in no particular order; graph outputs do not count
  SharedNotes notes;
};

/// A computation graph: nodes and values with dense ids, in plain tables that copies share until written to.
///
/// Nodes keep the order of the file they came from in their ids; a removed node leaves a hole. Every change goes
/// through the methods below, which keep `users` true. Bodies of control flow are graphs of their own, held in
/// attributes; what such a body reads from outside appears as a capture of the body and, at the same position, as a
/// captured input of the node that holds it, so that the outer graph's uses are complete.
class Graph {
 public:
  std::string name;
  SharedNotes notes;

  // Reading.
  std::size_t node_slots() const { return nodes_.size(); }
  std::size_t node_count() const { return node_count_; }
  std::size_t value_count() const { return values_.size(); }
  bool alive(NodeId id) const { return nodes_[id.index()].op != nullptr; }
  const Node& node(NodeId id) const { return nodes_[id.index()]; }
  const Value& value(ValueId id) const { return values_[id.index()]; }
  std::span<const Use> users(ValueId id) const { return {value(id).users.begin(), value(id).users.size()}; }

  std::span<const ValueId> inputs() const { return inputs_; }
  std::span<const ValueId> outputs() const { return outputs_; }
  /// Values defined in an enclosing graph that this body reads, in the order of the holder's captured inputs.
  std::span<const ValueId> captures() const { return captures_; }
  /// Constants in file order.
  std::span<const ValueId> initializers() const { return initializers_; }
  /// Values whose contents only the file format understands (sparse initialisers, kept in the graph's residue).
  std::span<const ValueId> encoded_sources() const { return encoded_sources_; }
  /// Values whose type the file spelled out, in file order.
  std::span<const ValueId> described() const { return described_; }

  bool is_input(ValueId id) const;
  bool is_output(ValueId id) const;
  bool is_capture(ValueId id) const;

  /// Living nodes by ascending id, which is file order.
  std::vector<NodeId> nodes() const;
  /// The value of that name, by linear search.
  std::optional<ValueId> find_value(std::string_view wanted) const;

  // Building.
  ValueId add_value(std::string value_name, Type type = {});
  ValueId add_input(std::string value_name, Type type);
  ValueId add_capture(std::string value_name, Type type = {});
  ValueId add_constant(std::string value_name, Tensor tensor);
  ValueId add_encoded_source(std::string value_name, Type type);
  /// Makes an existing constant an input as well, with its contents as the default.
  void declare_input(ValueId id) { inputs_.push_back(id); }
  void add_output(ValueId id) { outputs_.push_back(id); }
  void describe(ValueId id) { described_.push_back(id); }
  /// A node that writes to existing values, which must have no producer yet.
  NodeId add_node(const OpName* op, std::span<const ValueId> inputs, std::span<const ValueId> outputs,
                  Attributes attributes = {}, std::string node_name = {});
  /// A node with one new output value.
  ValueId add(const OpName* op, std::span<const ValueId> inputs, Attributes attributes = {},
              std::string node_name = {});

  // Changing.
  void set_input(NodeId id, std::size_t slot, ValueId value);
  /// Replaces the captured inputs after a body has changed.
  void set_captured_inputs(NodeId id, std::span<const ValueId> values);
  /// Shortens or lengthens the written inputs of a node; new ones are omitted inputs.
  void resize_inputs(NodeId id, std::size_t count);
  void set_op(NodeId id, const OpName* op) { nodes_.write(id.index()).op = op; }
  void set_attributes(NodeId id, Attributes attributes);
  void set_attribute(NodeId id, Attribute attribute);
  void remove_attribute(NodeId id, std::string_view attribute_name);
  void set_node_notes(NodeId id, SharedNotes node_notes) { nodes_.write(id.index()).notes = std::move(node_notes); }
  void set_node_name(NodeId id, std::string node_name) { nodes_.write(id.index()).name = std::move(node_name); }
  void set_type(ValueId id, Type type) { values_.write(id.index()).type = std::move(type); }
  void set_value_notes(ValueId id, SharedNotes value_notes) {
    values_.write(id.index()).notes = std::move(value_notes);
  }
  void rename(ValueId id, std::string value_name) { values_.write(id.index()).name = std::move(value_name); }
  /// Makes a value that nothing produces a constant, or gives a constant other contents.
  void set_constant(ValueId id, Tensor tensor);
  /// Omits an output of a node; the value keeps its users but has no producer.
  void detach_output(NodeId id, std::size_t slot);
  void set_output(std::size_t position, ValueId id) { outputs_[position] = id; }
  /// The node writes `value`, which nothing produces yet, instead of what it wrote to that slot before.
  void attach_output(NodeId id, std::size_t slot, ValueId value);
  /// Removes a capture nobody in this body reads.
  void remove_capture(std::size_t position) {
    captures_.erase(captures_.begin() + static_cast<std::ptrdiff_t>(position));
  }
  /// Every reader of `from` (graph outputs not included) reads `to` instead.
  void replace_uses(ValueId from, ValueId to);
  /// The node's outputs must have no users left.
  void remove_node(NodeId id);
  /// Drops a constant nobody reads.
  void remove_initializers(std::span<const ValueId> unused);

 private:
  void link(NodeId id, std::size_t slot, ValueId value);
  void unlink(NodeId id, std::size_t slot);

  CowVector<Node> nodes_;
  CowVector<Value> values_;
  std::size_t node_count_ = 0;
  std::vector<ValueId> inputs_, outputs_, captures_, initializers_, encoded_sources_, described_;
};

}  // namespace hone
