#include "graph/ir/graph.h"

#include <algorithm>

#include "base/error.h"

namespace hone {
namespace {

/// One list for all nodes without attributes.
const SharedAttributes& no_attributes() {
  static const SharedAttributes none = std::make_shared<const Attributes>();
  return none;
}

bool contains(std::span<const ValueId> list, ValueId id) { return std::ranges::find(list, id) != list.end(); }

}  // namespace

const Attribute* find(const Attributes& attributes, std::string_view name) {
  for (const Attribute& attribute : attributes)
    if (attribute.name == name) return &attribute;
  return nullptr;
}

bool Graph::is_input(ValueId id) const { return contains(inputs_, id); }
bool Graph::is_output(ValueId id) const { return contains(outputs_, id); }
bool Graph::is_capture(ValueId id) const { return contains(captures_, id); }

std::vector<NodeId> Graph::nodes() const {
  std::vector<NodeId> living;
  living.reserve(node_count_);
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].op != nullptr) living.emplace_back(i);
  return living;
}

std::optional<ValueId> Graph::find_value(std::string_view wanted) const {
  for (std::size_t i = 0; i < values_.size(); ++i)
    if (values_[i].name == wanted) return ValueId(i);
  return std::nullopt;
}

ValueId Graph::add_value(std::string value_name, Type type) {
  Value value;
  value.name = std::move(value_name);
  value.type = std::move(type);
  values_.push_back(std::move(value));
  return ValueId(values_.size() - 1);
}

ValueId Graph::add_input(std::string value_name, Type type) {
  inputs_.push_back(add_value(std::move(value_name), std::move(type)));
  return inputs_.back();
}

ValueId Graph::add_capture(std::string value_name, Type type) {
  captures_.push_back(add_value(std::move(value_name), std::move(type)));
  return captures_.back();
}

ValueId Graph::add_constant(std::string value_name, Tensor tensor) {
  const ValueId id = add_value(std::move(value_name));
  set_constant(id, std::move(tensor));
  return id;
}

ValueId Graph::add_encoded_source(std::string value_name, Type type) {
  encoded_sources_.push_back(add_value(std::move(value_name), std::move(type)));
  return encoded_sources_.back();
}

void Graph::set_constant(ValueId id, Tensor tensor) {
  Value& value = values_.write(id.index());
  HONE_CHECK(!value.producer.valid(), "constant '{}' has a producer", value.name);
  if (!value.constant) initializers_.push_back(id);
  value.type = Type::tensor(tensor.type(), tensor.shape());
  value.constant = std::move(tensor);
}

NodeId Graph::add_node(const OpName* op, std::span<const ValueId> inputs, std::span<const ValueId> outputs,
                       Attributes attributes, std::string node_name) {
  const NodeId id(nodes_.size());
  Node node;
  node.op = op;
  node.name = std::move(node_name);
  node.inputs.resize(inputs.size());
  node.use_positions_.resize(inputs.size());
  node.outputs.assign(outputs);
  node.attributes = attributes.empty() ? no_attributes() : std::make_shared<const Attributes>(std::move(attributes));
  nodes_.push_back(std::move(node));
  ++node_count_;
  for (std::size_t slot = 0; slot < inputs.size(); ++slot) link(id, slot, inputs[slot]);
  for (std::size_t slot = 0; slot < outputs.size(); ++slot) {
    if (!outputs[slot].valid()) continue;
    Value& value = values_.write(outputs[slot].index());
    HONE_CHECK(!value.producer.valid(), "value '{}' is produced twice", value.name);
    value.producer = id;
    value.slot = static_cast<std::uint32_t>(slot);
  }
  return id;
}

ValueId Graph::add(const OpName* op, std::span<const ValueId> inputs, Attributes attributes, std::string node_name) {
  const ValueId output = add_value(node_name.empty() ? fmt::format("v{}", values_.size()) : node_name);
  add_node(op, inputs, std::span(&output, 1), std::move(attributes), std::move(node_name));
  return output;
}

void Graph::link(NodeId id, std::size_t slot, ValueId value) {
  Node& node = nodes_.write(id.index());
  node.inputs[slot] = value;
  if (!value.valid()) return;
  auto& users = values_.write(value.index()).users;
  node.use_positions_[slot] = static_cast<std::uint32_t>(users.size());
  users.push_back({id, static_cast<std::uint32_t>(slot)});
}

void Graph::unlink(NodeId id, std::size_t slot) {
  const ValueId value = node(id).inputs[slot];
  if (!value.valid()) return;
  // The last use takes the place of the removed one, so that removal does not depend on the number of users.
  auto& users = values_.write(value.index()).users;
  const std::uint32_t position = node(id).use_positions_[slot];
  const Use moved = users.back();
  users[position] = moved;
  users.pop_back();
  nodes_.write(moved.node.index()).use_positions_[moved.slot] = position;
  nodes_.write(id.index()).inputs[slot] = ValueId();
}

void Graph::set_input(NodeId id, std::size_t slot, ValueId value) {
  unlink(id, slot);
  link(id, slot, value);
}

void Graph::set_captured_inputs(NodeId id, std::span<const ValueId> values) {
  const std::size_t written = node(id).written_inputs().size();
  for (std::size_t slot = written; slot < node(id).inputs.size(); ++slot) unlink(id, slot);
  Node& changed = nodes_.write(id.index());
  changed.inputs.resize(written + values.size());
  changed.use_positions_.resize(written + values.size());
  changed.captured = static_cast<std::uint32_t>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) link(id, written + i, values[i]);
}

void Graph::resize_inputs(NodeId id, std::size_t count) {
  const std::vector<ValueId> captured(node(id).captured_inputs().begin(), node(id).captured_inputs().end());
  set_captured_inputs(id, {});
  for (std::size_t slot = count; slot < node(id).inputs.size(); ++slot) unlink(id, slot);
  Node& changed = nodes_.write(id.index());
  changed.inputs.resize(count);
  changed.use_positions_.resize(count);
  set_captured_inputs(id, captured);
}

void Graph::set_attributes(NodeId id, Attributes attributes) {
  nodes_.write(id.index()).attributes =
      attributes.empty() ? no_attributes() : std::make_shared<const Attributes>(std::move(attributes));
}

void Graph::set_attribute(NodeId id, Attribute attribute) {
  Attributes changed = *node(id).attributes;
  for (Attribute& existing : changed) {
    if (existing.name != attribute.name) continue;
    existing = std::move(attribute);
    return set_attributes(id, std::move(changed));
  }
  changed.push_back(std::move(attribute));
  set_attributes(id, std::move(changed));
}

void Graph::remove_attribute(NodeId id, std::string_view attribute_name) {
  Attributes changed = *node(id).attributes;
  std::erase_if(changed, [&](const Attribute& attribute) { return attribute.name == attribute_name; });
  set_attributes(id, std::move(changed));
}

void Graph::detach_output(NodeId id, std::size_t slot) {
  const ValueId value = node(id).outputs[slot];
  if (!value.valid()) return;
  values_.write(value.index()).producer = NodeId();
  nodes_.write(id.index()).outputs[slot] = ValueId();
}

void Graph::attach_output(NodeId id, std::size_t slot, ValueId value) {
  detach_output(id, slot);
  Value& attached = values_.write(value.index());
  HONE_CHECK(!attached.producer.valid(), "value '{}' is produced twice", attached.name);
  attached.producer = id;
  attached.slot = static_cast<std::uint32_t>(slot);
  nodes_.write(id.index()).outputs[slot] = value;
}

void Graph::replace_uses(ValueId from, ValueId to) {
  if (from == to) return;
  while (!value(from).users.empty()) {
    const Use use = value(from).users.back();
    set_input(use.node, use.slot, to);
  }
}

void Graph::remove_node(NodeId id) {
  for (std::size_t slot = 0; slot < node(id).inputs.size(); ++slot) unlink(id, slot);
  for (std::size_t slot = 0; slot < node(id).outputs.size(); ++slot) {
    const ValueId output = node(id).outputs[slot];
    HONE_CHECK(!output.valid() || value(output).users.empty(), "removing '{}', which is still read",
               value(output).name);
    detach_output(id, slot);
  }
  nodes_.write(id.index()) = Node{};
  --node_count_;
}

void Graph::remove_initializers(std::span<const ValueId> unused) {
  for (const ValueId id : unused) {
    HONE_CHECK(value(id).users.empty(), "removing constant '{}', which is still read", value(id).name);
    values_.write(id.index()).constant.reset();
  }
  std::erase_if(initializers_, [&](ValueId id) { return !value(id).constant.has_value(); });
}

}  // namespace hone
