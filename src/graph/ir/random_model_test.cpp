#include "graph/ir/random_model_test.h"

#include <algorithm>

#include "graph/ir/element_text.h"

namespace hone {
namespace {

const char* const kOddPieces[] = {"x", "a b",   "\"", "\\", "\n",  "/",    ".",
                                  "é", "float", "0",  "#:", "inf", "\x01", "seq"};

std::string odd_text(Rng& rng) {
  std::string text;
  for (std::uint64_t i = rng.below(4); i-- > 0;) text += kOddPieces[rng.below(std::size(kOddPieces))];
  return text;
}

SharedNotes random_notes(Rng& rng) {
  if (rng.below(8) != 0) return nullptr;
  Notes notes;
  notes.doc = odd_text(rng);
  if (rng.below(2) == 0) notes.metadata = {{odd_text(rng), odd_text(rng)}, {"key", odd_text(rng)}};
  if (rng.below(2) == 0) notes.residue = odd_text(rng);
  return notes.empty() ? nullptr : std::make_shared<const Notes>(std::move(notes));
}

ElementType random_element_type(Rng& rng) { return static_cast<ElementType>(rng.between(1, 26)); }

Dim random_dim(Rng& rng) {
  switch (rng.below(6)) {
    case 0: return {};
    case 1: return Dim::symbol("batch");
    case 2: return Dim::symbol("seq") * 2 + 1;
    case 3: return Dim::symbol("x " + odd_text(rng));
    default: return rng.between(0, 1000);
  }
}

Type random_type(Rng& rng, int depth = 0) {
  Type type = Type::tensor(random_element_type(rng));
  switch (rng.below(depth < 3 ? 12 : 8)) {
    case 0: return {};
    case 1: return type;
    case 8: return Type::container(Type::Kind::sequence, random_type(rng, depth + 1));
    case 9: return Type::container(Type::Kind::optional, random_type(rng, depth + 1));
    case 10:
      type = Type::container(Type::Kind::map, random_type(rng, depth + 1));
      type.element = ElementType::int64;
      return type;
    case 11: type.kind = Type::Kind::sparse_tensor; return type;
    default:
      type.ranked = true;
      for (std::uint64_t i = rng.below(5); i-- > 0;) type.shape.push_back(random_dim(rng));
      return type;
  }
}

Tensor small_tensor(Rng& rng) {
  Dims dims;
  for (std::uint64_t i = rng.below(3); i-- > 0;) dims.push_back(rng.between(0, 4));
  return random_tensor(random_element_type(rng), dims, rng);
}

/// Grows one graph; bodies read from the graphs around through `outer`.
class Grower {
 public:
  Grower(Rng& rng, std::size_t& names, int depth) : rng_(rng), names_(names), depth_(depth) {}

  Graph grow(std::size_t node_count) {
    graph_.name = odd_text(rng_);
    graph_.notes = random_notes(rng_);
    for (std::uint64_t i = rng_.below(4); i-- > 0;) annotate(graph_.add_input(fresh_name(), random_type(rng_)));
    for (std::uint64_t i = rng_.below(4); i-- > 0;) annotate(graph_.add_constant(fresh_name(), small_tensor(rng_)));
    if (!readable_.empty() && rng_.below(3) == 0 && graph_.inputs().size() > 0 &&
        !graph_.value(graph_.inputs()[0]).constant)
      graph_.set_constant(graph_.inputs()[0], small_tensor(rng_));
    for (std::size_t i = 0; i < node_count; ++i) add_node();
    for (std::uint64_t i = rng_.below(3); i-- > 0 && !readable_.empty();) graph_.add_output(any_value());
    return std::move(graph_);
  }

 private:
  /// Unique in the whole model, so that bodies never shadow.
  std::string fresh_name() { return (rng_.below(3) == 0 ? odd_text(rng_) : "v") + std::to_string(names_++); }

  void annotate(ValueId id) {
    graph_.set_value_notes(id, random_notes(rng_));
    readable_.push_back(id);
  }

  ValueId any_value() { return readable_[rng_.below(readable_.size())]; }

  void add_node() {
    std::vector<ValueId> inputs, outputs, captured;
    for (std::uint64_t i = rng_.below(4); i-- > 0;) {
      const bool omitted = readable_.empty() || rng_.below(6) == 0;
      inputs.push_back(omitted ? ValueId() : any_value());
    }
    Attributes attributes;
    for (std::uint64_t i = rng_.below(4); i-- > 0;) attributes.push_back(random_attribute(attributes.size(), captured));
    for (std::uint64_t i = rng_.below(3); i-- > 0;)
      outputs.push_back(rng_.below(6) == 0 ? ValueId() : graph_.add_value(fresh_name()));
    const NodeId id = graph_.add_node(random_op(), inputs, outputs, std::move(attributes), odd_text(rng_));
    graph_.set_captured_inputs(id, captured);
    graph_.set_node_notes(id, random_notes(rng_));
    for (const ValueId output : outputs) {
      if (!output.valid()) continue;
      readable_.push_back(output);
      if (rng_.below(3) != 0) continue;
      graph_.set_type(output, random_type(rng_));
      graph_.set_value_notes(output, random_notes(rng_));
      graph_.describe(output);
    }
  }

  const OpName* random_op() {
    switch (rng_.below(5)) {
      case 0: return OpName::intern("com.microsoft", "Gelu");
      case 1: return OpName::intern("odd " + odd_text(rng_), odd_text(rng_), odd_text(rng_));
      case 2: return OpName::intern("local", "f", "g");
      default: return OpName::intern("", rng_.below(2) == 0 ? "Add" : "Conv");
    }
  }

  float random_float() {
    const auto bits = static_cast<std::uint32_t>(rng_.next());
    return rng_.below(2) == 0 ? std::bit_cast<float>(bits) : static_cast<float>(rng_.between(-3, 3));
  }

  SharedGraph random_body(std::vector<ValueId>& captured) {
    Graph body = Grower(rng_, names_, depth_ + 1).grow(rng_.below(4));
    // Some readers inside read from outside instead.
    for (const NodeId id : body.nodes()) {
      if (readable_.empty() || body.node(id).written_inputs().empty() || rng_.below(2) == 0) continue;
      const ValueId outer = any_value();
      body.set_input(id, 0, body.add_capture(graph_.value(outer).name));
      captured.push_back(outer);
    }
    return std::make_shared<const Graph>(std::move(body));
  }

  template <class Make>
  auto list_of(Make make) {
    std::vector<decltype(make())> list;
    for (std::uint64_t i = rng_.below(4); i-- > 0;) list.push_back(make());
    return list;
  }

  AttributeValue random_value(std::vector<ValueId>& captured) {
    switch (rng_.below(depth_ < 2 ? 11 : 9)) {
      case 0: return static_cast<std::int64_t>(rng_.next());
      case 1: return random_float();
      case 2: return odd_text(rng_);
      case 3: return small_tensor(rng_);
      case 4: return list_of([&] { return static_cast<std::int64_t>(rng_.next()); });
      case 5: return list_of([&] { return random_float(); });
      case 6: return list_of([&] { return odd_text(rng_); });
      case 7: return list_of([&] { return small_tensor(rng_); });
      case 8: return OpaqueAttribute{odd_text(rng_)};
      case 9: return random_body(captured);
      default: return list_of([&] { return random_body(captured); });
    }
  }

  Attribute random_attribute(std::size_t position, std::vector<ValueId>& captured) {
    Attribute attribute;
    attribute.name = odd_text(rng_) + std::to_string(position);
    attribute.notes = random_notes(rng_);
    attribute.value = random_value(captured);
    if (std::holds_alternative<float>(attribute.value) && rng_.below(3) == 0) attribute.reference = "alpha";
    return attribute;
  }

  Rng& rng_;
  std::size_t& names_;
  int depth_;
  Graph graph_;
  std::vector<ValueId> readable_;
};

Opsets random_opsets(Rng& rng) {
  Opsets opsets;
  for (std::uint64_t i = rng.below(3); i-- > 0;) opsets.imports.emplace_back(odd_text(rng), rng.between(1, 30));
  return opsets;
}

}  // namespace

Tensor random_tensor(ElementType type, Dims dims, Rng& rng) {
  Tensor tensor = Tensor::zeros(type, std::move(dims));
  if (type == ElementType::string) {
    for (std::string& element : tensor.write<std::string>()) element = odd_text(rng);
    return tensor;
  }
  const std::span<std::byte> bytes = tensor.write_bytes();
  const int width = bit_width(written_type(type));
  const std::uint64_t largest = type == ElementType::boolean ? 1 : ~std::uint64_t{0} >> (64 - width);
  for (std::size_t i = 0; i < tensor.count() * written_per_element(type); ++i)
    store_bits(bytes, width, i, rng.next() & largest);
  return tensor;
}

Model random_model(Rng& rng) {
  std::size_t names = 0;
  Model model;
  model.graph = Grower(rng, names, 0).grow(rng.below(12));
  model.opsets = random_opsets(rng);
  model.notes = random_notes(rng);
  if (rng.below(2) == 0) model.ir_version = rng.between(3, 12);
  if (rng.below(2) == 0) model.model_version = static_cast<std::int64_t>(rng.next());
  if (rng.below(2) == 0) model.producer_name = odd_text(rng);
  if (rng.below(2) == 0) model.producer_version = odd_text(rng);
  if (rng.below(2) == 0) model.domain = odd_text(rng);
  for (std::uint64_t i = rng.below(3); i-- > 0;) {
    Function function;
    function.op = OpName::intern(odd_text(rng), "f" + std::to_string(i), odd_text(rng));
    function.body = Grower(rng, names, 1).grow(rng.below(5));
    function.attributes = {"alpha", "b" + odd_text(rng)};
    function.defaults = {{.name = "beta", .value = 2.5f, .reference = "", .notes = random_notes(rng)}};
    function.opsets = random_opsets(rng);
    function.notes = random_notes(rng);
    model.functions.push_back(std::move(function));
  }
  return model;
}

}  // namespace hone
