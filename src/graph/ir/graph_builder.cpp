#include "graph/ir/graph_builder.h"

#include <algorithm>

#include "base/error.h"

namespace hone {

void GraphBuilder::add_input(Declaration input) {
  claim(input.mention);
  const ValueId id = graph_.add_input(input.mention.name, std::move(input.type));
  note(id, std::move(input.notes));
  ids_.emplace(std::move(input.mention.name), id);
}

void GraphBuilder::add_constant(Declaration constant, Tensor tensor) {
  const auto known = ids_.find(constant.mention.name);
  if (known != ids_.end() && !graph_.value(known->second).constant) {
    graph_.set_constant(known->second, std::move(tensor));
    return note(known->second, std::move(constant.notes));
  }
  claim(constant.mention);
  const ValueId id = graph_.add_constant(constant.mention.name, std::move(tensor));
  note(id, std::move(constant.notes));
  ids_.emplace(std::move(constant.mention.name), id);
}

Graph GraphBuilder::finish(std::vector<WrittenNode> nodes, std::vector<Declaration> outputs,
                           std::vector<Declaration> described) && {
  for (const WrittenNode& node : nodes)
    for (const Mention& output : node.outputs) define(output);
  for (WrittenNode& node : nodes) link(std::move(node));
  for (Declaration& output : outputs) {
    const ValueId id = resolve(output.mention);
    graph_.add_output(id);
    describe(id, std::move(output));
  }
  for (Declaration& declaration : described) {
    const auto known = ids_.find(declaration.mention.name);
    const ValueId id = known != ids_.end() ? known->second : graph_.add_value(declaration.mention.name);
    ids_.emplace(declaration.mention.name, id);
    graph_.describe(id);
    describe(id, std::move(declaration));
  }
  return std::move(graph_);
}

/// Refuses a name that is empty or taken.
void GraphBuilder::claim(const Mention& mention) const {
  if (mention.name.empty()) tokens_.fail_at(mention.offset, "found a value without a name, expected a name");
  if (ids_.contains(mention.name))
    tokens_.fail_at(mention.offset, fmt::format("found a second definition of '{}', expected one", mention.name));
}

void GraphBuilder::define(const Mention& output) {
  if (output.name.empty()) return;
  claim(output);
  ids_.emplace(output.name, graph_.add_value(output.name));
}

ValueId GraphBuilder::resolve(const Mention& mention) {
  const auto known = ids_.find(mention.name);
  if (known != ids_.end()) return known->second;
  if (surroundings_ == Surroundings::none || mention.name.empty())
    tokens_.fail_at(mention.offset, fmt::format("found '{}', expected a value that something defines", mention.name));
  places_.try_emplace(mention.name, mention.offset);
  const ValueId id = graph_.add_capture(mention.name);
  ids_.emplace(mention.name, id);
  return id;
}

std::vector<ValueId> GraphBuilder::resolve_all(const std::vector<Mention>& mentions) {
  std::vector<ValueId> ids;
  ids.reserve(mentions.size());
  for (const Mention& mention : mentions) ids.push_back(mention.name.empty() ? ValueId() : resolve(mention));
  return ids;
}

void GraphBuilder::link(WrittenNode node) {
  const std::vector<ValueId> inputs = resolve_all(node.inputs), outputs = resolve_all(node.outputs);
  const std::vector<ValueId> captured = resolve_all(captures_of(node));
  const NodeId id = graph_.add_node(node.op, inputs, outputs, std::move(node.attributes), std::move(node.name));
  if (!captured.empty()) graph_.set_captured_inputs(id, captured);
  if (node.notes) graph_.set_node_notes(id, std::move(node.notes));
}

/// What the bodies of a node capture, as mentions in this graph.
std::vector<Mention> GraphBuilder::captures_of(const WrittenNode& node) const {
  std::vector<Mention> mentions;
  const auto add = [&](const SharedGraph& body) {
    if (!body) return;
    for (const ValueId id : body->captures())
      mentions.push_back({body->value(id).name, places_.at(body->value(id).name)});
  };
  for (const Attribute& attribute : node.attributes) {
    if (const auto* body = std::get_if<SharedGraph>(&attribute.value)) add(*body);
    if (const auto* bodies = std::get_if<std::vector<SharedGraph>>(&attribute.value))
      std::ranges::for_each(*bodies, add);
  }
  return mentions;
}

/// The first type written for a value holds; a constant has that of its elements.
void GraphBuilder::describe(ValueId id, Declaration declaration) {
  if (graph_.value(id).type.kind == Type::Kind::unknown) graph_.set_type(id, std::move(declaration.type));
  note(id, std::move(declaration.notes));
}

void GraphBuilder::note(ValueId id, SharedNotes notes) {
  if (notes) graph_.set_value_notes(id, std::move(notes));
}

}  // namespace hone
