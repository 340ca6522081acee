#include "formats/hlo/module.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text_location.h"

namespace hone::hlo {
namespace {

std::string_view attribute_of(std::span<const Attribute> attributes, std::string_view key) {
  const auto found = std::ranges::find(attributes, key, &Attribute::key);
  return found == attributes.end() ? std::string_view() : found->value;
}

/// Compares two modules; shapes are numbered by each on its own, so a pair found equal is remembered.
class Comparison {
 public:
  Comparison(const Module& a, const Module& b) : a_(a), b_(b), equal_to_(a.shapes.size()) {}

  bool run() {
    return a_.name == b_.name && a_.entry == b_.entry && a_.header == b_.header && a_.sections == b_.sections &&
           std::ranges::equal(a_.computations, b_.computations,
                              [this](const Computation& x, const Computation& y) { return same(x, y); });
  }

 private:
  bool same(ShapeId x, ShapeId y) {
    if (!x.valid() || !y.valid()) return x == y;
    if (equal_to_[x.index()] == y) return true;
    const Shape& p = a_.shape(x);
    const Shape& q = b_.shape(y);
    const bool equal = p.type == q.type && p.dimensions == q.dimensions && p.layout == q.layout &&
                       std::ranges::equal(p.elements, q.elements, [this](ShapeId i, ShapeId j) { return same(i, j); });
    if (equal) equal_to_[x.index()] = y;
    return equal;
  }

  bool same(const Instruction& x, const Instruction& y) {
    return x.name == y.name && x.opcode == y.opcode && x.literal == y.literal &&
           x.parameter_number == y.parameter_number && same(x.shape, y.shape) &&
           std::ranges::equal(a_.operands(x), b_.operands(y)) &&
           std::ranges::equal(a_.predecessors(x), b_.predecessors(y)) &&
           std::ranges::equal(a_.attributes(x), b_.attributes(y)) && std::ranges::equal(a_.callees(x), b_.callees(y));
  }

  bool same(const Computation& x, const Computation& y) {
    const auto same_parameter = [this](const SignatureParameter& p, const SignatureParameter& q) {
      return p.name == q.name && same(p.shape, q.shape);
    };
    const auto same_instruction = [this](const Instruction& p, const Instruction& q) { return same(p, q); };
    return x.name == y.name && x.root == y.root && x.has_signature == y.has_signature && same(x.result, y.result) &&
           std::ranges::equal(a_.attributes(x), b_.attributes(y)) &&
           std::ranges::equal(a_.signature(x), b_.signature(y), same_parameter) &&
           std::ranges::equal(a_.instructions_of(x), b_.instructions_of(y), same_instruction);
  }

  const Module& a_;
  const Module& b_;
  std::vector<ShapeId> equal_to_;
};

void append_leaves(const Module& module, ShapeId id, std::vector<ShapeId>& found) {
  const Shape& shape = module.shape(id);
  if (!shape.is_tuple() && shape.elements.empty()) found.push_back(id);
  for (const ShapeId element : shape.elements) append_leaves(module, element, found);
}

}  // namespace

std::string_view Module::attribute(const Instruction& instruction, std::string_view key) const {
  return attribute_of(attributes(instruction), key);
}

std::string_view Module::header_attribute(std::string_view key) const { return attribute_of(header, key); }

ComputationId Module::callee(const Instruction& instruction, std::string_view role) const {
  for (const Callee& callee : callees(instruction))
    if (callee.role == role) return callee.computation;
  return {};
}

std::vector<InstructionId> Module::parameters(const Computation& computation) const {
  std::vector<InstructionId> found;
  for (std::uint32_t i = 0; i < computation.instructions.count; ++i) {
    const InstructionId id(computation.instructions.begin + i);
    if (instruction(id).kind() != OpKind::parameter) continue;
    const std::size_t number = instruction(id).parameter_number;
    if (found.size() <= number) found.resize(number + 1);
    found[number] = id;
  }
  return found;
}

std::string Module::where(std::string_view piece) const {
  const TextLocation location = location_in(text, static_cast<std::size_t>(piece.data() - text.data()));
  return fmt::format("{}:{}:{}", file, location.line, location.column);
}

bool operator==(const Module& a, const Module& b) { return Comparison(a, b).run(); }

bool compatible(const Module& module, ShapeId a, ShapeId b) {
  if (a == b) return true;
  const Shape& x = module.shape(a);
  const Shape& y = module.shape(b);
  const auto same_size = [](Dimension p, Dimension q) { return p.size == q.size; };
  return x.type == y.type && std::ranges::equal(x.dimensions, y.dimensions, same_size) &&
         std::ranges::equal(x.elements, y.elements,
                            [&module](ShapeId p, ShapeId q) { return compatible(module, p, q); });
}

double element_count(const Shape& shape) {
  if (!shape.is_array()) return 0;
  double count = 1;
  for (const Dimension dimension : shape.dimensions)
    if (dimension.size != Dimension::kUnbounded) count *= static_cast<double>(dimension.size);
  return count;
}

double byte_count(const Module& module, ShapeId id) {
  const Shape& shape = module.shape(id);
  double bytes = element_count(shape) * bit_width(shape.type) / 8;
  for (const ShapeId element : shape.elements) bytes += byte_count(module, element);
  return bytes;
}

std::vector<ShapeId> leaves(const Module& module, ShapeId shape) {
  std::vector<ShapeId> found;
  append_leaves(module, shape, found);
  return found;
}

}  // namespace hone::hlo
