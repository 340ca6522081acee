#include <charconv>
#include <cmath>
#include <optional>

#include "formats/hlo/attributes.h"
#include "formats/hlo/cost.h"

namespace hone::hlo {
namespace {

/// Looks through views and copies.
InstructionId value_of(const Module& module, InstructionId id) {
  while (module.instruction(id).kind() == OpKind::copy || is_view(module, module.instruction(id)))
    id = module.operands(module.instruction(id))[0];
  return id;
}

std::optional<double> scalar_constant(const Module& module, InstructionId id) {
  const Instruction& instruction = module.instruction(value_of(module, id));
  if (instruction.kind() != OpKind::constant || instruction.literal.size() < 3) return std::nullopt;
  const std::string_view digits = instruction.literal.substr(1, instruction.literal.size() - 2);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(static_cast<double>(value))
                                                                      : std::nullopt;
}

/// Which element of the loop's state an instruction reads, when it reads just one; negative otherwise.
std::int64_t state_index(const Module& module, InstructionId id) {
  const Instruction& instruction = module.instruction(value_of(module, id));
  if (instruction.kind() != OpKind::element_of_tuple) return -1;
  const Instruction& tuple = module.instruction(module.operands(instruction)[0]);
  return tuple.kind() == OpKind::parameter ? integer(module, instruction, "index", -1) : -1;
}

/// The value of a tuple's element, where the tuple is put together in sight.
std::optional<InstructionId> element(const Module& module, InstructionId tuple, std::int64_t index) {
  const Instruction& instruction = module.instruction(value_of(module, tuple));
  if (instruction.kind() != OpKind::tuple || index >= instruction.operands.count) return std::nullopt;
  return module.operands(instruction)[static_cast<std::size_t>(index)];
}

/// How much the body adds to an element of the state in one run.
std::optional<double> step_of(const Module& module, const Computation& body, std::int64_t index) {
  const auto next = element(module, body.root, index);
  if (!next) return std::nullopt;
  const Instruction& sum = module.instruction(value_of(module, *next));
  if (sum.opcode != "add") return std::nullopt;
  const auto operands = module.operands(sum);
  for (std::size_t i = 0; i < 2; ++i)
    if (state_index(module, operands[i]) == index) return scalar_constant(module, operands[1 - i]);
  return std::nullopt;
}

/// `while (i < end) i += step` from a constant start.
std::optional<double> counted(const Module& module, const Instruction& loop) {
  const Computation& condition = module.computation(module.callee(loop, "condition"));
  const Instruction& compare = module.instruction(value_of(module, condition.root));
  const std::string_view direction = module.attribute(compare, "direction");
  if (compare.opcode != "compare" || (direction != "LT" && direction != "LE")) return std::nullopt;
  const auto sides = module.operands(compare);
  const std::int64_t index = state_index(module, sides[0]);
  if (index < 0) return std::nullopt;
  const auto start_value = element(module, module.operands(loop)[0], index);
  const auto end = scalar_constant(module, sides[1]);
  const auto step = step_of(module, module.computation(module.callee(loop, "body")), index);
  const auto start = start_value ? scalar_constant(module, *start_value) : std::nullopt;
  if (!end || !step || !start || *step <= 0) return std::nullopt;
  const double distance = *end - *start + (direction == "LE" ? 1 : 0);
  return std::max(0.0, std::ceil(distance / *step));
}

}  // namespace

double trip_count(const Module& module, const Instruction& loop) {
  if (const auto known = known_trip_count(module.attribute(loop, "backend_config"))) return *known;
  return counted(module, loop).value_or(1);
}

}  // namespace hone::hlo
