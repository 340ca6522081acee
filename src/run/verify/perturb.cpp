#include "run/verify/perturb.h"

#include <bit>

#include "graph/ir/bodies.h"

namespace hone {
namespace {

/// Bits of the stored word of a floating type; 0 for types whose numbers are not moved.
struct WordFormat {
  int fraction_bits = 0;
  int exponent_bits = 0;
};

WordFormat word_format(ElementType type) {
  switch (type) {
    case ElementType::float64: return {52, 11};
    case ElementType::float32: return {23, 8};
    case ElementType::float16: return {10, 5};
    case ElementType::bfloat16: return {7, 8};
    default: return {};
  }
}

/// Moves words of finite numbers with many digits: the next word up or down is the next number away from or to zero.
template <class Word>
void move_words(std::span<std::byte> bytes, WordFormat format, Rng& rng) {
  const std::span<Word> words(reinterpret_cast<Word*>(bytes.data()), bytes.size() / sizeof(Word));
  const Word one = 1, fraction = static_cast<Word>((one << format.fraction_bits) - 1);
  const Word exponent = static_cast<Word>(((one << format.exponent_bits) - 1) << format.fraction_bits);
  const int few_digits = (format.fraction_bits + 1) / 2;
  for (Word& word : words) {
    if ((word & exponent) == exponent || (word & fraction) == 0) continue;
    const int unused = std::countr_zero(static_cast<Word>(word & fraction));
    if (format.fraction_bits - unused <= few_digits) continue;
    word = static_cast<Word>(word + static_cast<Word>(rng.between(-1, 1)));
  }
}

/// A tensor that a node holds as an attribute: the contents of Constant.
void move_attributes(Graph& graph, NodeId id, const Rng& rng) {
  const SharedAttributes attributes = graph.node(id).attributes;
  for (const Attribute& attribute : *attributes)
    if (const auto* tensor = std::get_if<Tensor>(&attribute.value)) {
      Attribute moved = attribute;
      moved.value = moved_by_a_unit(*tensor, rng);
      graph.set_attribute(id, std::move(moved));
    }
}

void move_all(Graph& graph, const Rng& rng) {
  for (const ValueId id : graph.initializers())
    graph.set_constant(id, moved_by_a_unit(*graph.value(id).constant, rng.split(id.index())));
  const Rng of_nodes = rng.split(graph.value_count());
  for (const NodeId id : graph.nodes()) move_attributes(graph, id, of_nodes.split(id.index()));
  std::uint64_t body = 0;
  change_bodies(graph, [&](Graph& each) {
    move_all(each, of_nodes.split(graph.node_slots() + body++));
    return true;
  });
}

}  // namespace

Tensor moved_by_a_unit(const Tensor& tensor, Rng rng) {
  const WordFormat format = word_format(tensor.type());
  if (format.fraction_bits == 0) return tensor;
  Tensor moved = Tensor::zeros(tensor.type(), tensor.dims());
  const std::span<std::byte> bytes = moved.write_bytes();
  std::ranges::copy(tensor.bytes(), bytes.begin());
  switch (bit_width(tensor.type())) {
    case 64: move_words<std::uint64_t>(bytes, format, rng); break;
    case 32: move_words<std::uint32_t>(bytes, format, rng); break;
    default: move_words<std::uint16_t>(bytes, format, rng);
  }
  return moved;
}

std::vector<Datum> moved_by_a_unit(std::span<const Datum> data, const Rng& rng) {
  std::vector<Datum> moved(data.begin(), data.end());
  for (std::size_t i = 0; i < moved.size(); ++i)
    if (moved[i].is_tensor()) moved[i] = moved_by_a_unit(moved[i].tensor(), rng.split(i));
  return moved;
}

Model with_weights_moved(const Model& model, const Rng& rng) {
  Model moved = model;
  move_all(moved.graph, rng);
  for (std::size_t i = 0; i < moved.functions.size(); ++i) move_all(moved.functions[i].body, rng.split(~i));
  return moved;
}

}  // namespace hone
