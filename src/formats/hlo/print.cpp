#include "formats/hlo/print.h"

#include <fmt/format.h>

#include <iterator>
#include <numeric>

#include "base/error.h"

namespace hone::hlo {
namespace {

class Printer {
 public:
  explicit Printer(const Module& module) : module_(module) {}

  std::string run(std::span<const Attribute> header, std::span<const InstructionId> entry_order) && {
    text_.reserve(module_.text.size() * 9 / 8);
    text_.append("HloModule ").append(module_.name);
    attributes(header);
    text_ += "\n\n";
    for (const Section& section : module_.sections)
      text_.append(section.name).append("\n").append(section.text).append("\n\n");
    for (std::size_t i = 0; i < module_.computations.size(); ++i) {
      const Computation& one = module_.computations[i];
      const bool is_entry = ComputationId(i) == module_.entry;
      heading(one, is_entry ? "ENTRY %" : "%");
      for (std::uint32_t k = 0; k < one.instructions.count; ++k) {
        const InstructionId id = is_entry ? entry_order[k] : InstructionId(one.instructions.begin + k);
        text_ += id == one.root ? "  ROOT %" : "  %";
        instruction(module_.instruction(id));
      }
      text_ += '}';
      attributes(module_.attributes(one));
      text_ += "\n\n";
    }
    text_.pop_back();
    return std::move(text_);
  }

  void shape(ShapeId id) {
    const Shape& one = module_.shape(id);
    if (one.is_tuple() || !one.elements.empty()) {
      text_ += name_of(one.type);
      const char* separator = "(";
      if (one.elements.empty()) text_ += '(';
      for (const ShapeId element : one.elements) {
        text_ += separator;
        shape(element);
        separator = ", ";
      }
      text_ += ')';
      return;
    }
    text_.append(name_of(one.type)) += '[';
    for (std::size_t i = 0; i < one.rank(); ++i) {
      if (i > 0) text_ += ',';
      dimension(one.dimensions[i]);
    }
    text_ += ']';
    text_ += one.layout;
  }

  std::string take() && { return std::move(text_); }

 private:
  void dimension(Dimension one) {
    if (one.size == Dimension::kUnbounded) {
      text_ += '?';
      return;
    }
    if (one.dynamic) text_ += "<=";
    fmt::format_to(std::back_inserter(text_), "{}", one.size);
  }

  void attributes(std::span<const Attribute> list) {
    for (const Attribute& attribute : list) {
      text_ += ", ";
      text_.append(attribute.key) += '=';
      text_ += attribute.value;
    }
  }

  void heading(const Computation& one, std::string_view prefix) {
    text_.append(prefix).append(one.name);
    if (one.has_signature) {
      const char* separator = " (";
      if (one.signature.count == 0) text_ += separator;
      for (const SignatureParameter& parameter : module_.signature(one)) {
        text_.append(separator).append(parameter.name).append(": ");
        shape(parameter.shape);
        separator = ", ";
      }
      text_ += ") -> ";
      shape(one.result);
    }
    text_ += " {\n";
  }

  void instruction(const Instruction& one) {
    text_.append(one.name).append(" = ");
    shape(one.shape);
    text_ += ' ';
    text_ += one.opcode;
    if (one.kind() == OpKind::constant) {
      text_ += one.literal;
    } else if (one.kind() == OpKind::parameter) {
      fmt::format_to(std::back_inserter(text_), "({})", one.parameter_number);
    } else {
      const char* separator = "(%";
      if (one.operands.count == 0) text_ += '(';
      for (const InstructionId operand : module_.operands(one)) {
        text_.append(separator).append(module_.instruction(operand).name);
        separator = ", %";
      }
      text_ += ')';
    }
    attributes(module_.attributes(one));
    text_ += '\n';
  }

  const Module& module_;
  std::string text_;
};

std::vector<InstructionId> file_order(const Module& module) {
  const Range range = module.entry_computation().instructions;
  std::vector<InstructionId> order;
  order.reserve(range.count);
  for (std::uint32_t i = 0; i < range.count; ++i) order.emplace_back(range.begin + i);
  return order;
}

void check_order(const Module& module, std::span<const InstructionId> order) {
  const Range range = module.entry_computation().instructions;
  if (order.size() != range.count)
    fail("{}: an order of {} instructions for an entry computation of {}", module.file, order.size(), range.count);
  std::vector<bool> done(range.count);
  for (const InstructionId id : order) {
    const std::uint32_t at = id.index() - range.begin;
    if (!id.valid() || id.index() < range.begin || at >= range.count)
      fail("{}: the order names an instruction outside the entry computation", module.file);
    const Instruction& instruction = module.instruction(id);
    if (done[at]) fail("{}: the order runs '{}' twice", module.file, instruction.name);
    for (const auto before : {module.operands(instruction), module.predecessors(instruction)})
      for (const InstructionId needed : before)
        if (!done[needed.index() - range.begin])
          fail("{}: the order runs '{}' before '{}', which it needs", module.file, instruction.name,
               module.instruction(needed).name);
    done[at] = true;
  }
}

}  // namespace

std::string print(const Module& module) { return Printer(module).run(module.header, file_order(module)); }

std::string print_shape(const Module& module, ShapeId shape) {
  Printer printer(module);
  printer.shape(shape);
  return std::move(printer).take();
}

std::string print_with_order(const Module& module, std::span<const InstructionId> order) {
  check_order(module, order);
  std::vector<Attribute> header = {{"is_scheduled", "true"}};
  for (const Attribute& attribute : module.header)
    if (attribute.key != "is_scheduled") header.push_back(attribute);
  return Printer(module).run(header, order);
}

}  // namespace hone::hlo
