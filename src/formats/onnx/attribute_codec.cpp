#include "formats/onnx/attribute_codec.h"

#include "base/error.h"
#include "formats/onnx/metadata.h"
#include "formats/onnx/residue.h"
#include "graph/ir/graph.h"

namespace hone::onnx {
namespace {

/// An AttributeProto as its fields come in; which of the values counts is known only when the type has been seen.
struct AttributeDraft {
  Attribute attribute;
  Notes notes;
  AttributeType type = AttributeType::undefined;
  AttributeType seen = AttributeType::undefined;  // by the value field present, for files older than the type field
  std::int64_t integer = 0;
  float real = 0;
  std::string text;
  std::vector<std::int64_t> integers;
  std::vector<float> reals;
  std::vector<std::string> texts;
  std::vector<Tensor> tensors;
  std::vector<SharedGraph> graphs;
  std::string opaque;
};

void read_value(const WireField& field, const AttributeParts& parts, AttributeDraft& draft) {
  switch (field.number) {
    case attribute_field::f: draft.real = field.real(), draft.seen = AttributeType::real; break;
    case attribute_field::i: draft.integer = field.integer(), draft.seen = AttributeType::integer; break;
    case attribute_field::s: draft.text = field.text(), draft.seen = AttributeType::text; break;
    case attribute_field::t:
      draft.tensors.push_back(parts.read_tensor(field.message())), draft.seen = AttributeType::tensor;
      break;
    case attribute_field::g:
      draft.graphs.push_back(parts.read_graph(field.message())), draft.seen = AttributeType::graph;
      break;
    case attribute_field::floats: append_floats(field, draft.reals), draft.seen = AttributeType::reals; break;
    case attribute_field::ints: append_integers(field, draft.integers), draft.seen = AttributeType::integers; break;
    case attribute_field::strings: draft.texts.emplace_back(field.text()), draft.seen = AttributeType::texts; break;
    case attribute_field::tensors:
      draft.tensors.push_back(parts.read_tensor(field.message())), draft.seen = AttributeType::tensors;
      break;
    case attribute_field::graphs:
      draft.graphs.push_back(parts.read_graph(field.message())), draft.seen = AttributeType::graphs;
      break;
    case attribute_field::tp:
    case attribute_field::type_protos:
    case attribute_field::sparse_tensor:
    case attribute_field::sparse_tensors: draft.opaque += as_text(field.raw); break;
    default: draft.notes.residue += as_text(field.raw);
  }
}

template <class T>
T single(std::vector<T>& list, const std::string& name) {
  if (list.size() != 1) fail("attribute '{}' holds {} values instead of one", name, list.size());
  return std::move(list.front());
}

AttributeValue finish(AttributeDraft& draft) {
  const AttributeType type = draft.type == AttributeType::undefined ? draft.seen : draft.type;
  // A reference to a function's attribute carries a type and no value.
  const bool reference = !draft.attribute.reference.empty();
  switch (type) {
    case AttributeType::real: return draft.real;
    case AttributeType::integer: return draft.integer;
    case AttributeType::text: return std::move(draft.text);
    case AttributeType::tensor:
      return reference ? AttributeValue(Tensor()) : single(draft.tensors, draft.attribute.name);
    case AttributeType::graph:
      return reference ? AttributeValue(std::make_shared<const Graph>()) : single(draft.graphs, draft.attribute.name);
    case AttributeType::reals: return std::move(draft.reals);
    case AttributeType::integers: return std::move(draft.integers);
    case AttributeType::texts: return std::move(draft.texts);
    case AttributeType::tensors: return std::move(draft.tensors);
    case AttributeType::graphs: return std::move(draft.graphs);
    default: break;
  }
  WireWriter encoded;
  encoded.raw(as_bytes(draft.opaque));
  if (draft.type != AttributeType::undefined)
    encoded.integer(attribute_field::type, static_cast<std::int64_t>(draft.type));
  return OpaqueAttribute{encoded.flatten()};
}

/// Writes the value field and returns the attribute's type.
struct ValueWriter {
  const AttributeWriters& writers;
  bool reference;
  WireWriter& into;

  AttributeType operator()(std::int64_t value) const {
    if (!reference) into.integer(attribute_field::i, value);
    return AttributeType::integer;
  }
  AttributeType operator()(float value) const {
    if (!reference) into.real(attribute_field::f, value);
    return AttributeType::real;
  }
  AttributeType operator()(const std::string& value) const {
    if (!reference) into.text(attribute_field::s, value);
    return AttributeType::text;
  }
  AttributeType operator()(const Tensor& value) const {
    if (!reference) into.message(attribute_field::t, writers.write_tensor(value));
    return AttributeType::tensor;
  }
  AttributeType operator()(const SharedGraph& value) const {
    if (!reference) into.message(attribute_field::g, writers.write_graph(*value));
    return AttributeType::graph;
  }
  AttributeType operator()(const std::vector<std::int64_t>& list) const {
    for (const std::int64_t value : list) into.integer(attribute_field::ints, value);
    return AttributeType::integers;
  }
  AttributeType operator()(const std::vector<float>& list) const {
    for (const float value : list) into.real(attribute_field::floats, value);
    return AttributeType::reals;
  }
  AttributeType operator()(const std::vector<std::string>& list) const {
    for (const std::string& value : list) into.text(attribute_field::strings, value);
    return AttributeType::texts;
  }
  AttributeType operator()(const std::vector<Tensor>& list) const {
    for (const Tensor& value : list) into.message(attribute_field::tensors, writers.write_tensor(value));
    return AttributeType::tensors;
  }
  AttributeType operator()(const std::vector<SharedGraph>& list) const {
    for (const SharedGraph& value : list) into.message(attribute_field::graphs, writers.write_graph(*value));
    return AttributeType::graphs;
  }
  AttributeType operator()(const OpaqueAttribute&) const { return AttributeType::undefined; }
};

}  // namespace

Attribute read_attribute(Bytes message, const AttributeParts& parts) {
  AttributeDraft draft;
  WireReader reader(message);
  while (const auto field = reader.next()) {
    switch (field->number) {
      case attribute_field::name: draft.attribute.name = field->text(); break;
      case attribute_field::ref_attr_name: read_text(*field, draft.attribute.reference, draft.notes.residue); break;
      case attribute_field::doc_string: read_text(*field, draft.notes.doc, draft.notes.residue); break;
      case attribute_field::type: draft.type = static_cast<AttributeType>(field->integer()); break;
      default: read_value(*field, parts, draft);
    }
  }
  if (draft.attribute.name.empty()) fail("an attribute has no name");
  draft.attribute.value = finish(draft);
  draft.attribute.notes = share(std::move(draft.notes));
  return std::move(draft.attribute);
}

WireWriter write_attribute(const Attribute& attribute, const AttributeWriters& writers) {
  const Notes& notes = notes_of(attribute.notes);
  WireWriter encoded;
  encoded.text(attribute_field::name, attribute.name);
  Residue residue(notes.residue);
  if (const auto* opaque = std::get_if<OpaqueAttribute>(&attribute.value)) {
    // Value fields and type, still as they came; the rest around them.
    Residue parts(opaque->encoded);
    if (!notes.doc.empty()) encoded.text(attribute_field::doc_string, notes.doc);
    parts.flush_below(attribute_field::ref_attr_name, encoded);
    if (!attribute.reference.empty()) encoded.text(attribute_field::ref_attr_name, attribute.reference);
    parts.flush(encoded);
    residue.flush(encoded);
    return encoded;
  }
  const AttributeType type = std::visit(ValueWriter{writers, !attribute.reference.empty(), encoded}, attribute.value);
  residue.flush_below(attribute_field::doc_string, encoded);
  if (!notes.doc.empty()) encoded.text(attribute_field::doc_string, notes.doc);
  residue.flush_below(attribute_field::type, encoded);
  encoded.integer(attribute_field::type, static_cast<std::int64_t>(type));
  if (!attribute.reference.empty()) encoded.text(attribute_field::ref_attr_name, attribute.reference);
  residue.flush(encoded);
  return encoded;
}

}  // namespace hone::onnx
