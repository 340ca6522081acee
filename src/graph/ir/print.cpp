#include "graph/ir/print.h"

#include <fmt/format.h>

#include "graph/ir/element_text.h"
#include "graph/ir/lexer.h"
#include "graph/ir/scope.h"

namespace hone {
namespace {

using Names = std::span<const std::string_view>;

std::string name_text(std::string_view name) {
  return is_identifier(name) && !is_type_word(name) && !is_special_number(name) ? std::string(name) : in_quotes(name);
}

/// `com.microsoft.Gelu`; a domain that is not made of identifiers is quoted as a whole.
std::string operator_text(const OpName& op) {
  std::string text;
  if (!op.domain.empty()) {
    bool plain = true;
    std::size_t start = 0;
    for (std::size_t dot = 0; dot != std::string::npos; start = dot + 1) {
      dot = op.domain.find('.', start);
      plain = plain && is_identifier(std::string_view(op.domain).substr(start, dot - start));
    }
    text = (plain ? op.domain : in_quotes(op.domain)) + ".";
  }
  text += is_identifier(op.name) ? op.name : in_quotes(op.name);
  return op.overload.empty() ? text : text + ":" + name_text(op.overload);
}

std::string dim_text(Dim dim) {
  const std::string text = dim.text();
  return dim.symbolic() && !is_identifier(text) ? in_quotes(text) : text;
}

/// ONNX writes a scalar without brackets and an unknown rank with empty ones.
std::string tensor_type_text(const Type& type) {
  std::string text(name_of(type.element));
  if (!type.ranked) return text + "[]";
  if (type.shape.empty()) return text;
  for (std::size_t i = 0; i < type.shape.size(); ++i) text += (i == 0 ? "[" : ",") + dim_text(type.shape[i]);
  return text + "]";
}

std::string type_text(const Type& type) {
  switch (type.kind) {
    case Type::Kind::unknown: return "?";
    case Type::Kind::opaque: return "opaque()";
    case Type::Kind::tensor: return tensor_type_text(type);
    case Type::Kind::sparse_tensor: return fmt::format("sparse_tensor({})", tensor_type_text(type));
    case Type::Kind::sequence: return fmt::format("seq({})", type_text(*type.inner));
    case Type::Kind::optional: return fmt::format("optional({})", type_text(*type.inner));
    case Type::Kind::map: return fmt::format("map({}, {})", name_of(type.element), type_text(*type.inner));
  }
  return "?";
}

// More than this is weights, which say nothing to people.
constexpr std::size_t kReadableElements = 32;

/// `{1,2,3}`.
std::string elements_text(const Tensor& tensor, PrintDetail detail) {
  if (detail == PrintDetail::readable && tensor.count() > kReadableElements) return "{...}";
  std::string text = "{";
  if (tensor.type() == ElementType::string) {
    for (const std::string& element : tensor.strings()) text += (text.size() > 1 ? "," : "") + in_quotes(element);
    return text + "}";
  }
  const ElementType written = written_type(tensor.type());
  const std::size_t count = tensor.count() * written_per_element(tensor.type());
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += ',';
    text += element_text(written, stored_bits(tensor.bytes(), bit_width(written), i));
  }
  return text + "}";
}

std::string tensor_text(const Tensor& tensor, PrintDetail detail) {
  std::string text = type_text(Type::tensor(tensor.type(), tensor.shape())) + " ";
  if (tensor.origin() && !tensor.origin()->name.empty()) text += name_text(tensor.origin()->name) + " ";
  return text + elements_text(tensor, detail);
}

/// A float that cannot be taken for an integer.
std::string float_text(float value) {
  std::string text = element_text(ElementType::float32, std::bit_cast<std::uint32_t>(value));
  return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
}

std::string metadata_text(const Notes& notes) {
  std::string text = "[";
  for (const auto& [key, value] : notes.metadata)
    text += fmt::format("{}{}: {}", text.size() > 1 ? ", " : "", in_quotes(key), in_quotes(value));
  return text + "]";
}

std::string opsets_text(const Opsets& opsets) {
  std::string text = "[";
  for (const auto& [domain, version] : opsets.imports)
    text += fmt::format("{}{} : {}", text.size() > 1 ? ", " : "", in_quotes(domain), version);
  return text + "]";
}

/// `key: value` pairs between angle brackets.
class HeaderText {
 public:
  void add(std::string_view key, const std::string& value) {
    text_ += fmt::format("{}\n  {}: {}", text_.empty() ? "" : ",", key, value);
  }
  void add(std::string_view key, const std::optional<std::int64_t>& value) {
    if (value) add(key, fmt::format("{}", *value));
  }
  void add(std::string_view key, const std::optional<std::string>& value) {
    if (value) add(key, in_quotes(*value));
  }
  void add(const Opsets& opsets) {
    if (!opsets.imports.empty()) add("opset_import", opsets_text(opsets));
  }
  void add(const SharedNotes& notes, PrintDetail detail) {
    if (!notes) return;
    if (!notes->doc.empty()) add("doc_string", in_quotes(notes->doc));
    if (!notes->metadata.empty()) add("metadata_props", metadata_text(*notes));
    if (!notes->residue.empty() && detail == PrintDetail::whole)
      residue_ = fmt::format("#: <residue: {}>\n", hexadecimal(notes->residue));
  }
  std::string text() const { return (text_.empty() ? "" : "<" + text_ + "\n>\n") + residue_; }

 private:
  std::string text_;
  std::string residue_;
};

/// Writes graphs, with bodies nested in the attributes of their nodes.
class Printer {
 public:
  explicit Printer(PrintDetail detail) : detail_(detail) {}

  void graph(const Graph& graph, Names names) {
    text_ += name_text(graph.name) + " ";
    signature(graph, names);
    notes(graph.notes);
    nodes(graph, names);
  }

  void function(const Function& function) {
    HeaderText header;
    if (!function.op->domain.empty()) header.add("domain", in_quotes(function.op->domain));
    if (!function.op->overload.empty()) header.add("overload", in_quotes(function.op->overload));
    header.add(function.opsets);
    header.add(function.notes, detail_);
    text_ += "\n" + header.text() + name_text(function.op->name) + " ";
    function_attributes(function);
    const std::vector<std::string_view> names = scoped_names(function.body);
    signature(function.body, names);
    nodes(function.body, names);
  }

  void raw(const std::string& text) { text_ += text; }
  std::string take() { return std::move(text_); }

 private:
  /// Begins a line, unless one was begun and nothing written on it.
  void line() {
    while (text_.ends_with(' ')) text_.pop_back();
    if (!text_.ends_with('\n')) text_ += '\n';
    text_.append(2 * static_cast<std::size_t>(depth_), ' ');
  }

  void notes(const SharedNotes& notes) {
    if (!notes || notes->empty()) return;
    std::string inside;
    if (!notes->doc.empty()) inside += "doc_string: " + in_quotes(notes->doc);
    if (!notes->metadata.empty()) inside += (inside.empty() ? "" : ", ") + ("metadata_props: " + metadata_text(*notes));
    if (!notes->residue.empty() && detail_ == PrintDetail::whole)
      inside += (inside.empty() ? "" : ", ") + ("residue: " + hexadecimal(notes->residue));
    if (inside.empty()) return;
    text_ += " #: <" + inside + ">";
    line();
  }

  void declaration(const Graph& graph, ValueId id, Names names) {
    const Type& type = graph.value(id).type;
    if (type.kind != Type::Kind::unknown) text_ += type_text(type) + " ";
    text_ += name_text(names[id.index()]);
  }

  void declarations(const Graph& graph, std::span<const ValueId> ids, Names names) {
    text_ += "(";
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (i > 0) text_ += ", ";
      declaration(graph, ids[i], names);
      notes(graph.value(ids[i]).notes);
    }
    text_ += ")";
  }

  /// Constants, then values whose type is spelled out, one a line.
  void initializers(const Graph& graph, Names names) {
    if (graph.initializers().empty() && graph.described().empty()) return;
    line();
    text_ += "<";
    ++depth_;
    bool first = true;
    const auto separate = [&] {
      if (!first) text_ += ",";
      if (!first) line();
      first = false;
    };
    for (const ValueId id : graph.initializers()) {
      separate();
      declaration(graph, id, names);
      text_ += " = " + elements_text(*graph.value(id).constant, detail_);
      notes(graph.value(id).notes);
    }
    for (const ValueId id : graph.described()) {
      separate();
      declaration(graph, id, names);
      notes(graph.value(id).notes);
    }
    --depth_;
    text_ += ">";
  }

  void signature(const Graph& graph, Names names) {
    declarations(graph, graph.inputs(), names);
    text_ += " => ";
    declarations(graph, graph.outputs(), names);
    initializers(graph, names);
  }

  void nodes(const Graph& graph, Names names) {
    line();
    text_ += "{";
    ++depth_;
    for (const NodeId id : graph.nodes()) {
      line();
      node(graph.node(id), names);
    }
    --depth_;
    line();
    text_ += "}";
  }

  void values(std::span<const ValueId> ids, Names names) {
    for (std::size_t i = 0; i < ids.size(); ++i)
      text_ += (i > 0 ? ", " : "") + (ids[i].valid() ? name_text(names[ids[i].index()]) : "\"\"");
  }

  void node(const Node& node, Names names) {
    if (!node.name.empty()) text_ += "[" + name_text(node.name) + "] ";
    values({node.outputs.begin(), node.outputs.size()}, names);
    text_ += (node.outputs.empty() ? "= " : " = ") + operator_text(*node.op);
    const std::vector<HeldBody> bodies = bodies_of(node);
    if (bodies.empty()) attributes(*node.attributes, bodies, names);
    text_ += " (";
    values(node.written_inputs(), names);
    text_ += ")";
    if (!bodies.empty()) attributes(*node.attributes, bodies, names);  // a long list reads better after the inputs
    notes(node.notes);
  }

  void attributes(const Attributes& attributes, std::span<const HeldBody> bodies, Names names) {
    if (attributes.empty()) return;
    text_ += " <";
    for (const Attribute& attribute : attributes) {
      if (&attribute != attributes.data()) text_ += ", ";
      this->attribute(attribute, bodies, names);
      bodies = bodies.subspan(body_count(attribute));
    }
    text_ += ">";
  }

  static std::size_t body_count(const Attribute& attribute) {
    if (const auto* bodies = std::get_if<std::vector<SharedGraph>>(&attribute.value)) return bodies->size();
    const auto* body = std::get_if<SharedGraph>(&attribute.value);
    return body != nullptr && *body != nullptr ? 1 : 0;
  }

  void attribute(const Attribute& attribute, std::span<const HeldBody> bodies, Names names) {
    const std::string kind = std::string(": ") + kAttributeKinds[attribute.value.index()];
    text_ += name_text(attribute.name);
    if (!attribute.reference.empty()) {
      text_ += kind + " = @" + name_text(attribute.reference);
      if (const auto* opaque = std::get_if<OpaqueAttribute>(&attribute.value))
        text_ += " " + hexadecimal(opaque->encoded);
    } else {
      const std::size_t before = text_.size();
      text_ += " = ";
      if (std::visit([&](const auto& value) { return write(value, bodies, names); }, attribute.value) == Kind::unclear)
        text_.insert(before, kind);
    }
    notes(attribute.notes);
  }

  /// Whether the kind of an attribute shows in its value.
  enum class Kind { clear, unclear };
  using Bodies = std::span<const HeldBody>;

  Kind write(std::int64_t value, Bodies, Names) { return text_ += fmt::format("{}", value), Kind::clear; }
  Kind write(float value, Bodies, Names) {
    const std::string text = float_text(value);
    text_ += text;
    return text.starts_with("0x") ? Kind::unclear : Kind::clear;
  }
  Kind write(const std::string& value, Bodies, Names) { return text_ += in_quotes(value), Kind::clear; }
  Kind write(const Tensor& value, Bodies, Names) { return text_ += tensor_text(value, detail_), Kind::clear; }
  Kind write(const OpaqueAttribute& value, Bodies, Names) { return text_ += hexadecimal(value.encoded), Kind::unclear; }
  Kind write(const SharedGraph&, Bodies bodies, Names names) {
    ++depth_;
    graph(*bodies.front().graph, scoped_names(bodies.front(), names));
    --depth_;
    return Kind::clear;
  }
  template <class Element>
  Kind write(const std::vector<Element>& list, Bodies bodies, Names names) {
    Kind kind = list.empty() ? Kind::unclear : Kind::clear;
    text_ += "[";
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) text_ += ", ";
      const bool is_body = std::is_same_v<Element, SharedGraph>;
      if (write(list[i], is_body ? bodies.subspan(i) : bodies, names) == Kind::unclear) kind = Kind::unclear;
    }
    text_ += "]";
    return kind;
  }

  void function_attributes(const Function& function) {
    if (function.attributes.empty() && function.defaults.empty()) return;
    const std::vector<HeldBody> default_bodies = bodies_of(function.defaults, {});
    text_ += "<";
    for (const std::string& name : function.attributes) text_ += (text_.back() == '<' ? "" : ", ") + name_text(name);
    Bodies bodies = default_bodies;
    for (const Attribute& attribute : function.defaults) {
      if (text_.back() != '<') text_ += ", ";
      this->attribute(attribute, bodies, {});
      bodies = bodies.subspan(body_count(attribute));
    }
    text_ += "> ";
  }

  PrintDetail detail_;
  std::string text_;
  int depth_ = 0;
};

}  // namespace

bool is_type_word(std::string_view word) {
  return element_type_named(word).has_value() || word == "undefined" || word == "seq" || word == "map" ||
         word == "optional" || word == "sparse_tensor" || word == "opaque";
}

std::string print(const Model& model, PrintDetail detail) {
  HeaderText header;
  header.add("ir_version", model.ir_version);
  header.add(model.opsets);
  header.add("producer_name", model.producer_name);
  header.add("producer_version", model.producer_version);
  header.add("domain", model.domain);
  header.add("model_version", model.model_version);
  header.add(model.notes, detail);
  Printer printer(detail);
  printer.raw(header.text());
  printer.graph(model.graph, scoped_names(model.graph));
  printer.raw("\n");
  for (const Function& function : model.functions) {
    printer.function(function);
    printer.raw("\n");
  }
  return printer.take();
}

std::string print(const Graph& graph) {
  Printer printer(PrintDetail::whole);
  printer.graph(graph, scoped_names(graph));
  return printer.take() + "\n";
}

}  // namespace hone
