#include "formats/onnx/read.h"

#include <algorithm>

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/sentence.h"
#include "formats/onnx/attribute_codec.h"
#include "formats/onnx/fields.h"
#include "formats/onnx/graph_reader.h"
#include "formats/onnx/metadata.h"
#include "formats/onnx/tensor_codec.h"
#include "formats/onnx/types.h"

namespace hone::onnx {
namespace {

constexpr std::size_t kMaxCallDepth = 64;

void read_opset(const WireField& field, Opsets& opsets) {
  std::string domain;
  std::int64_t version = 0;
  WireReader reader(field.message());
  while (const auto inner = reader.next()) {
    if (inner->number == opset_field::domain) domain = inner->text();
    if (inner->number == opset_field::version) version = inner->integer();
  }
  opsets.imports.emplace_back(std::move(domain), version);
  opsets.encoded.emplace_back(as_text(field.message()));
}

Function read_function(Bytes message, Source& source) {
  namespace at = function_field;
  Function function;
  std::string name, domain, overload;
  std::vector<std::string_view> inputs, outputs;
  std::vector<Bytes> nodes, infos;
  Notes notes;
  const AttributeParts parts{[&](Bytes tensor) { return read_tensor(tensor, source.owner, source.external); },
                             [](Bytes) -> SharedGraph { fail("a function's default attribute is a graph"); }};
  WireReader reader(message);
  while (const auto field = reader.next()) {
    switch (field->number) {
      case at::name: name = field->text(); break;
      case at::input: inputs.push_back(field->text()); break;
      case at::output: outputs.push_back(field->text()); break;
      case at::attribute: function.attributes.emplace_back(field->text()); break;
      case at::node: nodes.push_back(field->message()); break;
      case at::doc_string: read_text(*field, notes.doc, notes.residue); break;
      case at::opset_import: read_opset(*field, function.opsets); break;
      case at::domain: domain = field->text(); break;
      case at::attribute_proto: function.defaults.push_back(read_attribute(field->message(), parts)); break;
      case at::value_info: infos.push_back(field->message()); break;
      case at::overload: read_text(*field, overload, notes.residue); break;
      case at::metadata_props: notes.metadata.push_back(read_entry(field->message())); break;
      default: notes.residue += as_text(field->raw);
    }
  }
  if (name.empty()) fail("a function has no name");
  function.op = OpName::intern(domain, name, overload);
  function.body.name = name;
  GraphReader body(source, function.body, nullptr, 1);
  for (const std::string_view input : inputs) body.define_input(input);
  body.read_nodes(nodes);
  for (const std::string_view output : outputs) body.define_output(output);
  for (const Bytes info : infos) body.read_description(info, at::value_info, notes.residue);
  function.notes = share(std::move(notes));
  return function;
}

/// Functions called by a graph and its bodies.
void collect_calls(const Model& model, const Graph& graph, std::vector<const Function*>& calls) {
  for (const NodeId id : graph.nodes()) {
    if (const Function* called = model.function(graph.node(id).op)) calls.push_back(called);
    for (const Attribute& attribute : *graph.node(id).attributes) {
      if (const auto* body = std::get_if<SharedGraph>(&attribute.value)) collect_calls(model, **body, calls);
      if (const auto* bodies = std::get_if<std::vector<SharedGraph>>(&attribute.value))
        for (const SharedGraph& each : *bodies) collect_calls(model, *each, calls);
    }
  }
}

/// Depth first over calls; a function met again while it is open calls itself.
void refuse_recursion(const Model& model, const Function& function, std::vector<const Function*>& open,
                      std::vector<const Function*>& done) {
  if (std::ranges::find(done, &function) != done.end()) return;
  if (std::ranges::find(open, &function) != open.end()) fail("function '{}' calls itself", function.op->text());
  if (open.size() == kMaxCallDepth) fail("functions call one another more than {} deep", kMaxCallDepth);
  open.push_back(&function);
  std::vector<const Function*> calls;
  collect_calls(model, function.body, calls);
  for (const Function* called : calls) refuse_recursion(model, *called, open, done);
  open.pop_back();
  done.push_back(&function);
}

void check_functions(const Model& model) {
  for (std::size_t i = 0; i < model.functions.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (model.functions[i].op == model.functions[j].op)
        fail("function '{}' is defined twice", model.functions[i].op->text());
  std::vector<const Function*> open, done;
  for (const Function& function : model.functions) refuse_recursion(model, function, open, done);
}

/// Without any version there is no telling what operators mean. Files before IR 3 had none and meant the first; a
/// domain that is missing among others is meant in its newest version.
void check_opsets(const Model& model) {
  if (model.ir_version.value_or(3) < 3 || !model.opsets.imports.empty()) return;
  for (const NodeId id : model.graph.nodes())
    if (const OpName* op = model.graph.node(id).op; op->domain.empty() && model.function(op) == nullptr)
      fail("uses {} without saying which opset it is of", op->text());
}

Model read_model(Bytes message, Source& source) {
  namespace at = model_field;
  Model model;
  Notes notes;
  std::optional<Bytes> graph;
  std::vector<Bytes> functions;
  WireReader reader(message);
  while (const auto field = reader.next()) {
    switch (field->number) {
      case at::ir_version: model.ir_version = field->integer(); break;
      case at::producer_name: model.producer_name = field->text(); break;
      case at::producer_version: model.producer_version = field->text(); break;
      case at::domain: model.domain = field->text(); break;
      case at::model_version: model.model_version = field->integer(); break;
      case at::doc_string: read_text(*field, notes.doc, notes.residue); break;
      case at::graph: graph = field->message(); break;
      case at::opset_import: read_opset(*field, model.opsets); break;
      case at::metadata_props: notes.metadata.push_back(read_entry(field->message())); break;
      case at::functions: functions.push_back(field->message()); break;
      default: notes.residue += as_text(field->raw);
    }
  }
  if (!graph) fail("is not an ONNX model: it has no graph");
  for (const Bytes function : functions) model.functions.push_back(read_function(function, source));
  check_functions(model);
  GraphReader(source, model.graph, nullptr, 0).read(*graph);
  check_opsets(model);
  model.notes = share(std::move(notes));
  return model;
}

}  // namespace

Model read(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& source,
           const std::filesystem::path& folder) {
  Source parts{std::move(owner), ExternalFiles(folder)};
  return within(source, [&] {
    if (bytes.empty()) fail("is empty");
    Model model = read_model(bytes, parts);
    model.source = source;
    return model;
  });
}

Model read(const std::filesystem::path& path) {
  const auto file = MappedFile::open(path);
  Model model = read(file->bytes(), file, path.string(), path.parent_path());
  MappedFile::unload(file->bytes());  // names and nodes are not read there again
  return model;
}

}  // namespace hone::onnx
