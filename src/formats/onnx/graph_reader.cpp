#include "formats/onnx/graph_reader.h"

#include "base/error.h"
#include "formats/onnx/attribute_codec.h"
#include "formats/onnx/fields.h"
#include "formats/onnx/metadata.h"
#include "formats/onnx/tensor_codec.h"
#include "formats/onnx/types.h"
#include "graph/ir/order.h"

namespace hone::onnx {
namespace {

// Deeper than any exporter nests, shallow enough for the stack.
constexpr int kMaxDepth = 100;

}  // namespace

void Scope::define(std::string_view name, ValueId id, std::string_view what) {
  if (!names_.emplace(name, id).second) fail("graph '{}': {} '{}' is defined twice", graph_.name, what, name);
}

std::optional<ValueId> Scope::local(std::string_view name) const {
  const auto it = names_.find(name);
  return it == names_.end() ? std::nullopt : std::optional(it->second);
}

std::optional<ValueId> Scope::resolve(std::string_view name) {
  if (const auto id = local(name)) return id;
  if (parent_ == nullptr) return std::nullopt;
  const auto outer = parent_->resolve(name);
  if (!outer) return std::nullopt;
  const ValueId inner = graph_.add_capture(std::string(name), parent_->graph_.value(*outer).type);
  names_.emplace(name, inner);
  captured_.push_back(*outer);
  return inner;
}

GraphReader::GraphReader(Source& source, Graph& graph, Scope* parent, int depth)
    : source_(source), graph_(graph), scope_(graph, parent), depth_(depth) {
  if (depth > kMaxDepth) fail("graphs are nested more than {} deep", kMaxDepth);
}

std::vector<ValueId> GraphReader::read(Bytes message) {
  std::vector<Bytes> nodes, inputs, outputs, infos, initializers, sparse;
  Notes notes;
  WireReader reader(message);
  while (const auto field = reader.next()) {
    switch (field->number) {
      case graph_field::node: nodes.push_back(field->message()); break;
      case graph_field::name: read_text(*field, graph_.name, notes.residue); break;
      case graph_field::initializer: initializers.push_back(field->message()); break;
      case graph_field::doc_string: read_text(*field, notes.doc, notes.residue); break;
      case graph_field::input: inputs.push_back(field->message()); break;
      case graph_field::output: outputs.push_back(field->message()); break;
      case graph_field::value_info: infos.push_back(field->message()); break;
      case graph_field::metadata_props: notes.metadata.push_back(read_entry(field->message())); break;
      case graph_field::sparse_initializer: sparse.push_back(field->message()); [[fallthrough]];
      default: notes.residue += as_text(field->raw);
    }
  }
  for (const Bytes input : inputs) read_input(input);
  for (const Bytes initializer : initializers) read_initializer(initializer);
  for (const Bytes initializer : sparse) read_sparse_initializer(initializer);
  read_nodes(nodes);
  for (const Bytes output : outputs) read_output(output);
  for (const Bytes info : infos) read_description(info, graph_field::value_info, notes.residue);
  graph_.notes = share(std::move(notes));
  return scope_.captured();
}

void GraphReader::define_input(std::string_view name) {
  scope_.define(name, graph_.add_input(std::string(name), {}), "input");
}

void GraphReader::define_output(std::string_view name) { graph_.add_output(existing(name, "output")); }

void GraphReader::read_nodes(std::span<const Bytes> nodes) {
  // Outputs first, so that a graph that is not sorted still resolves.
  std::vector<std::vector<ValueId>> outputs;
  outputs.reserve(nodes.size());
  for (const Bytes node : nodes) outputs.push_back(declare_outputs(node));
  for (std::size_t i = 0; i < nodes.size(); ++i) read_node(nodes[i], outputs[i]);
  topological_order(graph_);  // refuses cycles
}

void GraphReader::read_description(Bytes message, std::uint32_t field, std::string& residue) {
  const auto id = scope_.local(text_field(message, value_info_field::name));
  if (id && !graph_.value(*id).notes && !graph_.is_capture(*id)) {
    describe(*id, message);
    graph_.describe(*id);
    return;
  }
  WireWriter kept;
  kept.bytes(field, message);
  residue += kept.flatten();
}

ValueId GraphReader::existing(std::string_view name, std::string_view what) {
  if (const auto id = scope_.resolve(name)) return *id;
  fail("graph '{}': {} '{}' is not produced by any node", graph_.name, what, name);
}

/// Takes the type and remembers the declaration word for word: a signature hone did not change leaves as it came.
void GraphReader::describe(ValueId id, Bytes message) {
  const Type type = read_value_info(message).type;
  if (graph_.value(id).type.kind == Type::Kind::unknown) graph_.set_type(id, type);
  Notes notes;
  notes.residue = as_text(message);
  graph_.set_value_notes(id, share(std::move(notes)));
}

void GraphReader::read_input(Bytes message) {
  const std::string_view name = text_field(message, value_info_field::name);
  if (name.empty()) fail("graph '{}': an input has no name", graph_.name);
  const ValueId id = graph_.add_input(std::string(name), {});
  describe(id, message);
  scope_.define(name, id, "input");
}

void GraphReader::read_output(Bytes message) {
  const ValueId id = existing(text_field(message, value_info_field::name), "output");
  // The same value may be an input too, or an output twice; the first declaration stands.
  if (!graph_.value(id).notes) describe(id, message);
  graph_.add_output(id);
}

void GraphReader::read_initializer(Bytes message) {
  const std::string_view name = text_field(message, tensor_field::name);
  if (name.empty()) fail("graph '{}': an initializer has no name", graph_.name);
  auto id = scope_.local(name);
  if (id && graph_.value(*id).constant) fail("graph '{}': initializer '{}' is defined twice", graph_.name, name);
  if (!id) {
    id = graph_.add_value(std::string(name));
    scope_.define(name, *id, "initializer");
  }
  graph_.set_constant(*id, read_tensor(message, source_.owner, source_.external));
}

/// The contents stay encoded in the graph's residue; nodes only need the name and the type.
void GraphReader::read_sparse_initializer(Bytes message) {
  std::string_view name;
  Type type = Type::tensor(ElementType::undefined, {});
  WireReader reader(message);
  while (const auto field = reader.next()) {
    std::vector<std::int64_t> dims;
    if (field->number == sparse_field::dims) append_integers(*field, dims);
    for (const std::int64_t d : dims) type.shape.push_back(d >= 0 ? Dim(d) : Dim());
    if (field->number != sparse_field::values) continue;
    name = text_field(field->message(), tensor_field::name);
    WireReader values(field->message());
    while (const auto inner = values.next())
      if (inner->number == tensor_field::data_type && is_known_element_type(inner->integer()))
        type.element = static_cast<ElementType>(inner->integer());
  }
  if (!scope_.local(name))
    scope_.define(name, graph_.add_encoded_source(std::string(name), type), "sparse initializer");
}

std::vector<ValueId> GraphReader::declare_outputs(Bytes message) {
  std::vector<ValueId> outputs;
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number != node_field::output) continue;
    const std::string_view name = field->text();
    outputs.push_back(name.empty() ? ValueId() : graph_.add_value(std::string(name)));
    if (!name.empty()) scope_.define(name, outputs.back(), "value");
  }
  return outputs;
}

void GraphReader::read_node(Bytes message, std::span<const ValueId> outputs) {
  std::vector<std::string_view> inputs;
  std::string name, op, domain, overload;
  Attributes attributes;
  std::vector<ValueId> captured;
  Notes notes;
  const AttributeParts parts{[&](Bytes tensor) { return read_tensor(tensor, source_.owner, source_.external); },
                             [&](Bytes body) {
                               auto graph = std::make_shared<Graph>();
                               const std::vector<ValueId> outer =
                                   GraphReader(source_, *graph, &scope_, depth_ + 1).read(body);
                               captured.insert(captured.end(), outer.begin(), outer.end());
                               return SharedGraph(std::move(graph));
                             }};
  WireReader reader(message);
  while (const auto field = reader.next()) {
    switch (field->number) {
      case node_field::input: inputs.push_back(field->text()); break;
      case node_field::output: break;
      case node_field::name: read_text(*field, name, notes.residue); break;
      case node_field::op_type: op = field->text(); break;
      case node_field::attribute: attributes.push_back(read_attribute(field->message(), parts)); break;
      case node_field::doc_string: read_text(*field, notes.doc, notes.residue); break;
      case node_field::domain:
        read_text(*field, domain, notes.residue);
        // Another way to write "": remembered as it was written.
        if (domain == "ai.onnx") notes.residue += as_text(field->raw);
        break;
      case node_field::overload: read_text(*field, overload, notes.residue); break;
      case node_field::metadata_props: notes.metadata.push_back(read_entry(field->message())); break;
      default: notes.residue += as_text(field->raw);
    }
  }
  if (op.empty()) fail("graph '{}': node '{}' has no operator", graph_.name, name);
  const std::vector<ValueId> resolved = resolve_inputs(inputs, name, op);
  const NodeId id =
      graph_.add_node(OpName::intern(domain, op, overload), resolved, outputs, std::move(attributes), std::move(name));
  if (!captured.empty()) graph_.set_captured_inputs(id, captured);
  if (!notes.empty()) graph_.set_node_notes(id, share(std::move(notes)));
}

std::vector<ValueId> GraphReader::resolve_inputs(std::span<const std::string_view> names, std::string_view node_name,
                                                 std::string_view op) {
  std::vector<ValueId> resolved;
  for (const std::string_view name : names) {
    const auto id = name.empty() ? std::optional(ValueId()) : scope_.resolve(name);
    if (!id) fail("graph '{}': node '{}' ({}) reads '{}', which nothing produces", graph_.name, node_name, op, name);
    resolved.push_back(*id);
  }
  return resolved;
}

}  // namespace hone::onnx
