#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "formats/hlo/opcode.h"
#include "formats/hlo/primitive_type.h"

namespace hone::hlo {

using ShapeId = Id<struct HloShapeTag>;
using InstructionId = Id<struct HloInstructionTag>;
using ComputationId = Id<struct HloComputationTag>;

/// Size of one axis; of a dynamic one, its bound.
struct Dimension {
  static constexpr std::int64_t kUnbounded = -1;  // written `?`

  std::int64_t size = 0;
  bool dynamic = false;

  friend bool operator==(Dimension, Dimension) = default;
};

/// An array, a tuple of shapes, a token or an opaque value.
struct Shape {
  PrimitiveType type = PrimitiveType::token;
  std::vector<Dimension> dimensions;
  std::string_view layout;        // with its braces, as written; empty when absent
  std::vector<ShapeId> elements;  // of a tuple, or the one a buffer holds

  bool is_tuple() const { return type == PrimitiveType::tuple; }
  bool is_array() const { return bit_width(type) > 0; }
  std::size_t rank() const { return dimensions.size(); }
  std::int64_t size(std::size_t axis) const { return dimensions[axis].size; }
};

/// `key=value` as written after an instruction, a computation or the module's name.
struct Attribute {
  std::string_view key;
  std::string_view value;

  friend bool operator==(const Attribute&, const Attribute&) = default;
};

/// A computation an instruction calls and what for: `to_apply`, `body`, `branch_computations`.
struct Callee {
  std::string_view role;
  ComputationId computation;

  friend bool operator==(const Callee&, const Callee&) = default;
};

/// Part of one of a module's flat lists.
struct Range {
  std::uint32_t begin = 0;
  std::uint32_t count = 0;
};

/// One instruction; ids of a computation's instructions are consecutive and in file order.
struct Instruction {
  std::string_view name;  // without `%`
  std::string_view opcode;
  const OpcodeEntry* entry = nullptr;
  ShapeId shape;
  std::string_view literal;            // what stands in the parentheses of a constant
  std::uint32_t parameter_number = 0;  // of a parameter
  Range operands;
  Range predecessors;  // control-predecessors
  Range attributes;
  Range callees;

  OpKind kind() const { return entry->kind; }
};

/// A parameter as a computation's heading lists it.
struct SignatureParameter {
  std::string_view name;
  ShapeId shape;
};

struct Computation {
  std::string_view name;
  Range instructions;
  InstructionId root;
  bool has_signature = false;
  Range signature;
  ShapeId result;    // as the signature says; none without one
  Range attributes;  // execution_thread
};

/// A table of source positions ahead of the computations: FileNames, FunctionNames, FileLocations, StackFrames.
struct Section {
  std::string_view name;
  std::string_view text;

  friend bool operator==(const Section&, const Section&) = default;
};

/// An XLA HLO module as its text says it; names, literals and attributes are views into that text.
///
/// Everything lies in flat lists in file order, so that a module of a hundred thousand instructions is a few
/// allocations.
struct Module {
  std::string file;                   // for messages
  std::shared_ptr<const void> owner;  // keeps `text` alive
  std::string_view text;

  std::string_view name;
  std::vector<Attribute> header;  // attributes of the module itself
  std::vector<Section> sections;
  std::vector<Shape> shapes;
  std::vector<Instruction> instructions;
  std::vector<Computation> computations;
  ComputationId entry;

  std::vector<InstructionId> operand_list;
  std::vector<InstructionId> predecessor_list;
  std::vector<Attribute> attribute_list;
  std::vector<Callee> callee_list;
  std::vector<SignatureParameter> signature_list;

  const Instruction& instruction(InstructionId id) const { return instructions[id.index()]; }
  const Computation& computation(ComputationId id) const { return computations[id.index()]; }
  const Computation& entry_computation() const { return computation(entry); }
  const Shape& shape(ShapeId id) const { return shapes[id.index()]; }
  const Shape& shape_of(InstructionId id) const { return shape(instruction(id).shape); }

  std::span<const Instruction> instructions_of(const Computation& computation) const {
    return slice(instructions, computation.instructions);
  }
  std::span<const InstructionId> operands(const Instruction& instruction) const {
    return slice(operand_list, instruction.operands);
  }
  std::span<const InstructionId> predecessors(const Instruction& instruction) const {
    return slice(predecessor_list, instruction.predecessors);
  }
  std::span<const Attribute> attributes(const Instruction& instruction) const {
    return slice(attribute_list, instruction.attributes);
  }
  std::span<const Callee> callees(const Instruction& instruction) const {
    return slice(callee_list, instruction.callees);
  }
  std::span<const Attribute> attributes(const Computation& computation) const {
    return slice(attribute_list, computation.attributes);
  }
  std::span<const SignatureParameter> signature(const Computation& computation) const {
    return slice(signature_list, computation.signature);
  }
  /// Text of an attribute; empty when the instruction has none of that key.
  std::string_view attribute(const Instruction& instruction, std::string_view key) const;
  std::string_view header_attribute(std::string_view key) const;
  /// The computation called in that role; none when there is none.
  ComputationId callee(const Instruction& instruction, std::string_view role) const;
  /// The instruction that is parameter `number` of a verified computation.
  std::vector<InstructionId> parameters(const Computation& computation) const;

  bool is_scheduled() const { return header_attribute("is_scheduled") == "true"; }
  /// `file:line:column` of a view into the text.
  std::string where(std::string_view piece) const;

 private:
  template <class T>
  static std::span<const T> slice(const std::vector<T>& all, Range range) {
    return std::span(all).subspan(range.begin, range.count);
  }
};

/// True when both say the same, whatever their spacing, comments and inline operand shapes.
bool operator==(const Module& a, const Module& b);

/// True when types and sizes agree; layouts may differ.
bool compatible(const Module& module, ShapeId a, ShapeId b);

/// Elements of an array, as a double since sizes are only ever used as costs; 0 for others.
double element_count(const Shape& shape);
/// Bytes of an array or of all arrays in a tuple; an unbounded axis counts as 1.
double byte_count(const Module& module, ShapeId shape);
/// The arrays and tokens of a shape, depth first.
std::vector<ShapeId> leaves(const Module& module, ShapeId shape);

}  // namespace hone::hlo
