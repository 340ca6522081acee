#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "base/hash.h"
#include "formats/hlo/attributes.h"
#include "formats/hlo/print.h"

namespace hone {

/// What a module computes, without a look at names, order or what is fused: a hash of every value by how it is computed
/// from the parameters, fusions taken apart.
class ModuleMeaning {
 public:
  explicit ModuleMeaning(const hlo::Module& module) : module_(module) {
    std::vector<Value> parameters;
    for (const hlo::InstructionId id : module.parameters(module.entry_computation()))
      parameters.push_back(value_of(fmt::format("parameter {}", parameters.size()), module.instruction(id).shape));
    result_ = meaning(module.entry_computation(), parameters);
  }

  std::string result() const { return text(result_); }
  /// Of every instruction that computes something, by how often it does.
  const std::map<std::string, std::size_t>& computed() const { return computed_; }

 private:
  /// An array, or a tuple with its elements.
  struct Value {
    std::uint64_t hash = 0;
    std::vector<Value> elements;
  };

  static std::string text(const Value& value) {
    if (value.elements.empty()) return fmt::format("{:x}", value.hash);
    std::string all = "(";
    for (const Value& element : value.elements) all += text(element) + ",";
    return all + ")";
  }

  Value value_of(const std::string& description, hlo::ShapeId shape) const {
    Value value{.hash = hash_text(description)};
    for (const hlo::ShapeId element : module_.shape(shape).elements)
      value.elements.push_back(value_of(fmt::format("{} part {}", description, value.elements.size()), element));
    return value;
  }

  Value meaning(const hlo::Computation& computation, const std::vector<Value>& parameters) {
    std::map<hlo::InstructionId, Value> values;
    for (std::uint32_t i = 0; i < computation.instructions.count; ++i) {
      const hlo::InstructionId id(computation.instructions.begin + i);
      const hlo::Instruction& instruction = module_.instruction(id);
      std::vector<Value> operands;
      for (const hlo::InstructionId operand : module_.operands(instruction)) operands.push_back(values.at(operand));
      values[id] = instruction.kind() == hlo::OpKind::parameter ? parameters.at(instruction.parameter_number)
                                                                : meaning(instruction, operands);
    }
    return values.at(computation.root);
  }

  Value meaning(const hlo::Instruction& instruction, const std::vector<Value>& operands) {
    switch (instruction.kind()) {
      case hlo::OpKind::tuple: return {.elements = operands};
      case hlo::OpKind::element_of_tuple:
        return operands[0].elements.at(static_cast<std::size_t>(hlo::integer(module_, instruction, "index", 0)));
      case hlo::OpKind::fusion: return meaning(module_.computation(module_.callee(instruction, "calls")), operands);
      default: break;
    }
    std::string description =
        fmt::format("{} {} {}", instruction.opcode, hlo::print_shape(module_, instruction.shape), instruction.literal);
    for (const Value& operand : operands) description += " " + text(operand);
    for (const hlo::Attribute& attribute : module_.attributes(instruction))
      if (attribute.key != "control-predecessors") description += fmt::format(" {}={}", attribute.key, attribute.value);
    const Value value = value_of(description, instruction.shape);
    if (instruction.kind() != hlo::OpKind::constant) ++computed_[text(value)];
    return value;
  }

  const hlo::Module& module_;
  Value result_;
  std::map<std::string, std::size_t> computed_;
};

}  // namespace hone
