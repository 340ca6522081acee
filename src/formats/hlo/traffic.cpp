#include "formats/hlo/traffic.h"

#include <algorithm>

#include "base/distinct.h"
#include "formats/hlo/attributes.h"
#include "formats/hlo/cost.h"

namespace hone::hlo {
namespace {

double operand_bytes(const Module& module, const Instruction& instruction, std::size_t i) {
  return byte_count(module, module.instruction(module.operands(instruction)[i]).shape);
}

/// Bytes of the operands from the given one on, each counted once.
double operand_bytes_from(const Module& module, const Instruction& instruction, std::ptrdiff_t first) {
  const auto operands = module.operands(instruction);
  double bytes = 0;
  for (const InstructionId operand : distinct(std::vector(operands.begin() + first, operands.end())))
    bytes += byte_count(module, module.instruction(operand).shape);
  return bytes;
}

/// What a ring of `devices` sends from each of them; with an unknown number, what a large ring would.
double collective_bytes(const Module& module, const Instruction& instruction) {
  const double given = operand_bytes_from(module, instruction, 0);
  const auto devices = static_cast<double>(group_size(module, instruction));
  const double share = devices > 0 ? (devices - 1) / devices : 1;
  const std::string_view opcode = instruction.opcode;
  if (opcode.starts_with("all-reduce")) return 2 * share * given;
  if (opcode.starts_with("all-gather"))
    return devices > 0 ? (devices - 1) * given : std::max(0.0, byte_count(module, instruction.shape) - given);
  if (opcode.starts_with("reduce-scatter") || opcode.starts_with("all-to-all")) return share * given;
  return given;
}

/// Scatter takes n arrays, indices and n updates; it reads updates and indices, and reads and writes what they hit.
double scatter_bytes(const Module& module, const Instruction& scatter) {
  const std::size_t arrays = (scatter.operands.count - 1) / 2;
  double bytes = operand_bytes(module, scatter, arrays);
  for (std::size_t i = arrays + 1; i < scatter.operands.count; ++i) bytes += 3 * operand_bytes(module, scatter, i);
  return bytes;
}

/// Values a computation returns: the operands of a tuple at its root, or the root.
std::vector<InstructionId> results(const Module& module, const Computation& computation) {
  const Instruction& root = module.instruction(computation.root);
  if (root.kind() != OpKind::tuple) return {computation.root};
  const auto operands = module.operands(root);
  return {operands.begin(), operands.end()};
}

}  // namespace

double bytes_of(const Module& module, const Instruction& instruction) {
  if (is_view(module, instruction)) return 0;
  const double output = byte_count(module, instruction.shape);
  switch (instruction.kind()) {
    case OpKind::parameter:
    case OpKind::constant:
    case OpKind::tuple:
    case OpKind::element_of_tuple:
    case OpKind::token:
    case OpKind::async_update:
    case OpKind::async_done: return 0;
    case OpKind::produce: return output;
    case OpKind::slice_read: return 2 * output + operand_bytes_from(module, instruction, 1);
    case OpKind::update_slice:
      return 2 * operand_bytes(module, instruction, 1) + operand_bytes_from(module, instruction, 2);
    case OpKind::scatter: return scatter_bytes(module, instruction);
    case OpKind::async_start: return 2 * operand_bytes_from(module, instruction, 0);
    case OpKind::collective:
    case OpKind::collective_start: return collective_bytes(module, instruction);
    default: return operand_bytes_from(module, instruction, 0) + output;
  }
}

double fused_bytes(const Module& module, const Computation& fused) {
  std::vector<double> read(fused.instructions.count);
  std::vector<bool> whole(fused.instructions.count);
  for (const Instruction& instruction : module.instructions_of(fused)) {
    const auto operands = module.operands(instruction);
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const std::size_t at = operands[i].index() - fused.instructions.begin;
      if (i == 0 && instruction.kind() == OpKind::slice_read) read[at] += byte_count(module, instruction.shape);
      else if (i != 0 || instruction.kind() != OpKind::update_slice) whole[at] = true;
    }
  }
  double bytes = 0;
  for (const InstructionId parameter : module.parameters(fused)) {
    const double all = byte_count(module, module.instruction(parameter).shape);
    const std::size_t at = parameter.index() - fused.instructions.begin;
    bytes += whole[at] || parameter == fused.root ? all : std::min(all, read[at]);
  }
  for (const InstructionId result : results(module, fused)) {
    const Instruction& made = module.instruction(source_of(module, result));
    bytes += made.kind() == OpKind::update_slice ? operand_bytes(module, made, 1) : byte_count(module, made.shape);
  }
  return bytes;
}

std::vector<InstructionId> updated_in_place(const Module& module, const Computation& fused) {
  std::vector<InstructionId> parameters;
  for (const InstructionId result : results(module, fused)) {
    InstructionId& parameter = parameters.emplace_back();
    const Instruction& update = module.instruction(source_of(module, result));
    if (update.kind() != OpKind::update_slice) continue;
    const InstructionId updated = source_of(module, module.operands(update)[0]);
    if (module.instruction(updated).kind() == OpKind::parameter) parameter = updated;
  }
  return parameters;
}

}  // namespace hone::hlo
