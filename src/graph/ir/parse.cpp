#include "graph/ir/parse.h"

#include <algorithm>
#include <iterator>

#include "graph/ir/element_text.h"
#include "graph/ir/graph_builder.h"
#include "graph/ir/lexer.h"
#include "graph/ir/parse_literal.h"
#include "graph/ir/print.h"
#include "graph/ir/scope.h"

namespace hone {
namespace {

/// The `<key: value, ...>` in front of a model or function.
struct Header {
  std::optional<std::int64_t> ir_version, model_version;
  std::optional<std::string> producer_name, producer_version, domain, overload;
  Opsets opsets;
  Notes notes;

  SharedNotes shared_notes() { return notes.empty() ? nullptr : std::make_shared<const Notes>(std::move(notes)); }
};

/// Recursive descent over the grammar of docs/Syntax.md in onnx/onnx.
class Parser {
 public:
  Parser(std::string_view text, std::string source) : tokens_(text, std::move(source)) {}

  Model model() {
    Model model;
    Header header = this->header();
    model.ir_version = header.ir_version;
    model.model_version = header.model_version;
    model.producer_name = std::move(header.producer_name);
    model.producer_version = std::move(header.producer_version);
    model.domain = std::move(header.domain);
    model.opsets = std::move(header.opsets);
    model.notes = header.shared_notes();
    model.graph = graph(Surroundings::none);
    while (tokens_.peek().kind != Token::Kind::end) model.functions.push_back(function());
    return model;
  }

  Graph only_graph() {
    Graph result = graph(Surroundings::none);
    if (tokens_.peek().kind != Token::Kind::end) tokens_.fail_expected("the end of the text");
    return result;
  }

 private:
  Graph graph(Surroundings surroundings) {
    if (++depth_ > kMaxNesting)
      tokens_.fail_at(tokens_.peek().offset,
                      fmt::format("found graphs nested over {} deep, expected fewer", kMaxNesting));
    std::string name = tokens_.name("the name of a graph");
    Graph result = signature_and_nodes(surroundings);
    result.name = std::move(name);
    --depth_;
    return result;
  }

  Graph signature_and_nodes(Surroundings surroundings) {
    GraphBuilder builder(tokens_, surroundings, capture_places_);
    tokens_.expect("(");
    separated(")", [&] {
      Declaration input = declaration();
      if (!tokens_.accept("=")) return builder.add_input(std::move(input));
      Tensor tensor = parse_elements(tokens_, input.type);
      input.notes = input.notes ? input.notes : notes();
      builder.add_input(input);
      builder.add_constant(std::move(input), std::move(tensor));
    });
    tokens_.expect("=>");
    tokens_.expect("(");
    std::vector<Declaration> outputs, described;
    separated(")", [&] { outputs.push_back(declaration()); });
    if (tokens_.accept("<")) {
      separated(">", [&] {
        Declaration declared = declaration();
        if (!tokens_.accept("=")) return described.push_back(std::move(declared));
        Tensor tensor = parse_elements(tokens_, declared.type);
        declared.notes = declared.notes ? declared.notes : notes();
        builder.add_constant(std::move(declared), std::move(tensor));
      });
    }
    SharedNotes graph_notes = notes();
    std::vector<WrittenNode> nodes;
    tokens_.expect("{");
    while (!tokens_.accept("}")) nodes.push_back(node());
    Graph result = std::move(builder).finish(std::move(nodes), std::move(outputs), std::move(described));
    result.notes = std::move(graph_notes);
    return result;
  }

  /// Calls `element` for each element of a list up to the closing symbol.
  template <class Element>
  void separated(std::string_view close, Element element) {
    if (tokens_.accept(close)) return;
    do element();
    while (tokens_.accept(","));
    tokens_.expect(close);
  }

  Declaration declaration() {
    Declaration result;
    if (at_type(tokens_)) result.type = parse_type(tokens_);
    result.mention = mention("the name of a value");
    result.notes = notes();
    return result;
  }

  Mention mention(std::string_view what) {
    const std::size_t offset = tokens_.peek().offset;
    return {tokens_.name(what), offset};
  }

  WrittenNode node() {
    WrittenNode node;
    if (tokens_.accept("[")) {
      node.name = tokens_.name("the name of a node");
      tokens_.expect("]");
    }
    node.outputs = mentions("=");
    node.op = operator_name();
    if (tokens_.peek().is_symbol("<")) node.attributes = attributes();
    tokens_.expect("(");
    node.inputs = mentions(")");
    if (tokens_.peek().is_symbol("<")) std::ranges::move(attributes(), std::back_inserter(node.attributes));
    node.notes = notes();
    return node;
  }

  /// Names up to the closing symbol; an omitted one is `""` or nothing before a comma.
  std::vector<Mention> mentions(std::string_view close) {
    std::vector<Mention> list;
    while (!tokens_.accept(close)) {
      const std::size_t offset = tokens_.peek().offset;
      if (tokens_.accept(",")) {
        list.push_back({"", offset});
        continue;
      }
      list.push_back(mention(fmt::format("the name of a value or '{}'", close)));
      if (!tokens_.accept(",") && !tokens_.peek().is_symbol(close))
        tokens_.fail_expected(fmt::format("',' or '{}'", close));
    }
    return list;
  }

  const OpName* operator_name() {
    std::string name = tokens_.name("the name of an operator");
    std::string domain, overload;
    while (tokens_.accept(".")) {
      domain += (domain.empty() ? "" : ".") + name;
      name = tokens_.name("the name of an operator");
    }
    if (tokens_.accept(":")) overload = tokens_.name("the overload of an operator");
    return OpName::intern(domain, name, overload);
  }

  Attributes attributes() {
    Attributes list;
    tokens_.expect("<");
    separated(">", [&] { list.push_back(attribute(tokens_.name("the name of an attribute"))); });
    return list;
  }

  Attribute attribute(std::string name) {
    Attribute result;
    result.name = std::move(name);
    const std::optional<std::size_t> kind = attribute_kind();
    tokens_.expect("=");
    if (tokens_.accept("@")) {
      if (!kind) tokens_.fail_expected("an attribute with its type, as in 'alpha: float = @alpha'");
      result.reference = tokens_.name("the name of an attribute of the function");
      if (result.reference.empty()) tokens_.fail_expected("the name of an attribute of the function before");
      result.value = empty_value(*kind);
      if (tokens_.peek().kind == Token::Kind::hexadecimal && *kind == kEncoded) result.value = encoded();
    } else {
      result.value = tokens_.peek().is_symbol("[") ? list(kind) : single(kind ? *kind : kind_of_next());
    }
    result.notes = notes();
    return result;
  }

  std::optional<std::size_t> attribute_kind() {
    if (!tokens_.accept(":")) return std::nullopt;
    const Token word = tokens_.peek();
    const auto* found = std::ranges::find(kAttributeKinds, tokens_.identifier("the type of an attribute"),
                                          [](const char* kind) { return std::string_view(kind); });
    if (found == std::end(kAttributeKinds))
      tokens_.fail_at(word.offset, fmt::format("found '{}', expected the type of an attribute: {}", word.text,
                                               fmt::join(kAttributeKinds, ", ")));
    return static_cast<std::size_t>(found - std::begin(kAttributeKinds));
  }

  static constexpr std::size_t kInt = 0, kFloat = 1, kString = 2, kTensor = 3, kGraph = 4, kEncoded = 10;

  /// The kind of the single value that comes next, by its looks.
  std::size_t kind_of_next() const {
    const Token& token = tokens_.peek();
    switch (token.kind) {
      case Token::Kind::integer: return kInt;
      case Token::Kind::real: return kFloat;
      case Token::Kind::string: return tokens_.peek_second().is_symbol("(") ? kGraph : kString;
      case Token::Kind::identifier: return is_special_number(token.text) ? kFloat : at_type(tokens_) ? kTensor : kGraph;
      default: tokens_.fail_expected("the value of an attribute");
    }
  }

  AttributeValue single(std::size_t kind) {
    switch (kind) {
      case kInt: return tokens_.integer("an integer");
      case kFloat: return parse_float(tokens_);
      case kString: return tokens_.string("a string");
      case kTensor: return parse_tensor(tokens_);
      case kGraph: return body();
      case kEncoded: return encoded();
      default: tokens_.fail_expected("'['");
    }
  }

  AttributeValue list(std::optional<std::size_t> kind) {
    if (kind && (*kind < kFirstListKind || *kind == kEncoded)) tokens_.fail_expected("a single value");
    tokens_.expect("[");
    switch (kind ? *kind - kFirstListKind : kind_of_next()) {
      case kInt: return list_of<std::int64_t>([&] { return tokens_.integer("an integer"); });
      case kFloat: return list_of<float>([&] { return parse_float(tokens_); });
      case kString: return list_of<std::string>([&] { return tokens_.string("a string"); });
      case kTensor: return list_of<Tensor>([&] { return parse_tensor(tokens_); });
      default: return list_of<SharedGraph>([&] { return body(); });
    }
  }

  template <class Element, class Read>
  std::vector<Element> list_of(Read read) {
    std::vector<Element> elements;
    separated("]", [&] { elements.push_back(read()); });
    return elements;
  }

  static AttributeValue empty_value(std::size_t kind) {
    switch (kind) {
      case 0: return std::int64_t{0};
      case 1: return 0.0f;
      case 2: return std::string();
      case 3: return Tensor();
      case 4: return std::make_shared<const Graph>();
      case 5: return std::vector<std::int64_t>();
      case 6: return std::vector<float>();
      case 7: return std::vector<std::string>();
      case 8: return std::vector<Tensor>();
      case 9: return std::vector<SharedGraph>();
      default: return OpaqueAttribute();
    }
  }

  SharedGraph body() { return std::make_shared<const Graph>(graph(Surroundings::outer_graph)); }
  OpaqueAttribute encoded() { return {tokens_.hexadecimal_bytes("bytes as 0x and two digits each")}; }

  Function function() {
    Header header = this->header();
    Function function;
    std::string name = tokens_.name("the name of a function");
    function.op = OpName::intern(header.domain.value_or(""), name, header.overload.value_or(""));
    function.opsets = std::move(header.opsets);
    function.notes = header.shared_notes();
    if (tokens_.accept("<")) {
      separated(">", [&] {
        std::string attribute_name = tokens_.name("the name of an attribute");
        const bool has_default = tokens_.peek().is_symbol("=") || tokens_.peek().is_symbol(":");
        if (has_default) function.defaults.push_back(attribute(std::move(attribute_name)));
        else function.attributes.push_back(std::move(attribute_name));
      });
    }
    if (capture_count(function.defaults) > 0)
      tokens_.fail_expected("the function, but a graph among its defaults reads values from outside");
    function.body = signature_and_nodes(Surroundings::none);
    function.body.name = std::move(name);
    return function;
  }

  Header header() {
    Header header;
    if (tokens_.accept("<")) separated(">", [&] { header_entry(header); });
    if (tokens_.accept("#:")) {
      tokens_.expect("<");
      separated(">", [&] { header_entry(header); });
    }
    return header;
  }

  void header_entry(Header& header) {
    const Token token = tokens_.peek();
    const std::string_view key = tokens_.identifier("a key such as ir_version");
    tokens_.expect(":");
    if (key == "ir_version") header.ir_version = tokens_.integer("a version");
    else if (key == "model_version") header.model_version = tokens_.integer("a version");
    else if (key == "producer_name") header.producer_name = tokens_.string("a string");
    else if (key == "producer_version") header.producer_version = tokens_.string("a string");
    else if (key == "domain") header.domain = tokens_.string("a string");
    else if (key == "overload") header.overload = tokens_.string("a string");
    else if (key == "opset_import") header.opsets = opsets();
    else if (!note(key, header.notes))
      tokens_.fail_at(token.offset, fmt::format("found '{}', expected a key such as ir_version", key));
  }

  Opsets opsets() {
    Opsets result;
    tokens_.expect("[");
    separated("]", [&] {
      std::string domain = tokens_.string("a domain in quotes");
      tokens_.expect(":");
      result.imports.emplace_back(std::move(domain), tokens_.integer("a version"));
    });
    return result;
  }

  /// The notes that follow a part of the model, if any do.
  SharedNotes notes() {
    if (!tokens_.accept("#:")) return nullptr;
    Notes result;
    tokens_.expect("<");
    separated(">", [&] {
      const Token token = tokens_.peek();
      const std::string_view key = tokens_.identifier("doc_string, metadata_props or residue");
      tokens_.expect(":");
      if (!note(key, result))
        tokens_.fail_at(token.offset, fmt::format("found '{}', expected doc_string, metadata_props or residue", key));
    });
    return result.empty() ? nullptr : std::make_shared<const Notes>(std::move(result));
  }

  /// Reads the value of a note; false when the key is not that of a note.
  bool note(std::string_view key, Notes& notes) {
    if (key == "doc_string") {
      notes.doc = tokens_.string("a string");
    } else if (key == "residue") {
      notes.residue = tokens_.hexadecimal_bytes("bytes as 0x and two digits each");
    } else if (key == "metadata_props") {
      tokens_.expect("[");
      separated("]", [&] {
        std::string name = tokens_.string("a string");
        tokens_.expect(":");
        notes.metadata.emplace_back(std::move(name), tokens_.string("a string"));
      });
    } else {
      return false;
    }
    return true;
  }

  TokenStream tokens_;
  CapturePlaces capture_places_;
  int depth_ = 0;
};

}  // namespace

Model parse_model(std::string_view text, std::string source_name) {
  Model model = Parser(text, source_name).model();
  model.source = std::move(source_name);
  return model;
}

Graph parse_graph(std::string_view text, std::string source_name) {
  return Parser(text, std::move(source_name)).only_graph();
}

}  // namespace hone
