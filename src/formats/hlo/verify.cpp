#include "formats/hlo/verify.h"

#include "base/error.h"
#include "formats/hlo/print.h"

namespace hone::hlo {
namespace {

void verify_parameters(const Module& module, const Computation& computation) {
  std::vector<bool> seen;
  for (const Instruction& instruction : module.instructions_of(computation)) {
    if (instruction.kind() != OpKind::parameter) continue;
    const std::size_t number = instruction.parameter_number;
    if (number >= computation.instructions.count)
      fail("{}: parameter {} in a computation of {} instructions", module.where(instruction.name), number,
           computation.instructions.count);
    if (seen.size() <= number) seen.resize(number + 1);
    if (seen[number]) fail("{}: a second parameter {}", module.where(instruction.name), number);
    seen[number] = true;
  }
  for (std::size_t number = 0; number < seen.size(); ++number)
    if (!seen[number])
      fail("{}: computation '{}' has no parameter {}", module.where(computation.name), computation.name, number);
}

void verify_heading(const Module& module, const Computation& computation) {
  if (!computation.has_signature) return;
  const std::vector<InstructionId> parameters = module.parameters(computation);
  const auto signature = module.signature(computation);
  if (parameters.size() != signature.size())
    fail("{}: the heading lists {} parameters, the body has {}", module.where(computation.name), signature.size(),
         parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (!compatible(module, signature[i].shape, module.instruction(parameters[i]).shape))
      fail("{}: the heading says {}, the parameter is {}", module.where(signature[i].name),
           print_shape(module, signature[i].shape), print_shape(module, module.instruction(parameters[i]).shape));
  const ShapeId root = module.instruction(computation.root).shape;
  if (!compatible(module, computation.result, root))
    fail("{}: the heading says the result is {}, the root is {}", module.where(computation.name),
         print_shape(module, computation.result), print_shape(module, root));
}

/// What a caller hands to a computation it calls, where that is simply its operands.
void verify_arguments(const Module& module, const Instruction& caller, ComputationId callee) {
  const std::vector<InstructionId> parameters = module.parameters(module.computation(callee));
  const auto operands = module.operands(caller);
  if (parameters.size() != operands.size())
    fail("{}: '{}' passes {} operands to '{}', which takes {}", module.where(caller.name), caller.name, operands.size(),
         module.computation(callee).name, parameters.size());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const ShapeId given = module.instruction(operands[i]).shape;
    const ShapeId taken = module.instruction(parameters[i]).shape;
    if (!compatible(module, given, taken))
      fail("{}: '{}' passes {} where '{}' takes {}", module.where(caller.name), caller.name, print_shape(module, given),
           module.computation(callee).name, print_shape(module, taken));
  }
}

void verify_result(const Module& module, const Instruction& caller, ComputationId callee) {
  const Computation& computation = module.computation(callee);
  if (!compatible(module, caller.shape, module.instruction(computation.root).shape))
    fail("{}: '{}' is {}, but '{}' returns {}", module.where(caller.name), caller.name,
         print_shape(module, caller.shape), computation.name,
         print_shape(module, module.instruction(computation.root).shape));
}

ComputationId required_callee(const Module& module, const Instruction& caller, std::string_view role) {
  const ComputationId callee = module.callee(caller, role);
  if (!callee.valid()) fail("{}: '{}' has no {}=", module.where(caller.name), caller.name, role);
  return callee;
}

void verify_branches(const Module& module, const Instruction& conditional) {
  const auto branches = module.callees(conditional);
  if (branches.size() + 1 != conditional.operands.count)
    fail("{}: '{}' has {} branches and {} operands, expected one operand a branch and one to choose by",
         module.where(conditional.name), conditional.name, branches.size(), conditional.operands.count);
  for (std::size_t i = 0; i < branches.size(); ++i) {
    verify_result(module, conditional, branches[i].computation);
    const std::vector<InstructionId> parameters = module.parameters(module.computation(branches[i].computation));
    const ShapeId given = module.instruction(module.operands(conditional)[i + 1]).shape;
    if (parameters.size() != 1 || !compatible(module, given, module.instruction(parameters[0]).shape))
      fail("{}: '{}' passes {} to branch {}, which does not take it", module.where(conditional.name), conditional.name,
           print_shape(module, given), i);
  }
}

void verify_loop(const Module& module, const Instruction& loop) {
  const ComputationId body = required_callee(module, loop, "body");
  const ComputationId condition = required_callee(module, loop, "condition");
  verify_arguments(module, loop, body);
  verify_arguments(module, loop, condition);
  verify_result(module, loop, body);
  const Shape& decision = module.shape_of(module.computation(condition).root);
  if (decision.type != PrimitiveType::pred || decision.rank() != 0)
    fail("{}: the condition of '{}' returns no pred[]", module.where(loop.name), loop.name);
}

void verify_calls(const Module& module, const Instruction& instruction) {
  switch (instruction.kind()) {
    case OpKind::fusion:
    case OpKind::call: {
      const bool is_fusion = instruction.kind() == OpKind::fusion;
      const ComputationId callee = required_callee(module, instruction, is_fusion ? "calls" : "to_apply");
      verify_arguments(module, instruction, callee);
      verify_result(module, instruction, callee);
      break;
    }
    case OpKind::while_loop: verify_loop(module, instruction); break;
    case OpKind::conditional: verify_branches(module, instruction); break;
    case OpKind::reduce:
    case OpKind::map: required_callee(module, instruction, "to_apply"); break;
    default: break;
  }
}

}  // namespace

std::vector<ComputationId> callees_first(const Module& module) {
  enum class Mark : std::uint8_t { unseen, open, done };
  struct Frame {
    ComputationId computation;
    std::uint32_t next;  // in callee_list, of which a computation's calls are one stretch
  };
  std::vector<std::uint32_t> begin, end;
  for (const Computation& computation : module.computations) {
    const auto instructions = module.instructions_of(computation);
    begin.push_back(instructions.front().callees.begin);
    end.push_back(instructions.back().callees.begin + instructions.back().callees.count);
  }
  std::vector<ComputationId> order;
  std::vector<Mark> marks(module.computations.size(), Mark::unseen);
  std::vector<Frame> stack;
  for (std::size_t i = 0; i < module.computations.size(); ++i) {
    if (marks[i] != Mark::unseen) continue;
    marks[i] = Mark::open;
    stack.push_back({ComputationId(i), begin[i]});
    while (!stack.empty()) {
      Frame& frame = stack.back();
      const std::uint32_t at = frame.computation.index();
      if (frame.next == end[at]) {
        marks[at] = Mark::done;
        order.push_back(frame.computation);
        stack.pop_back();
        continue;
      }
      const ComputationId callee = module.callee_list[frame.next++].computation;
      Mark& mark = marks[callee.index()];
      if (mark == Mark::open)
        fail("{}: computation '{}' calls itself", module.where(module.computation(callee).name),
             module.computation(callee).name);
      if (mark == Mark::done) continue;
      mark = Mark::open;
      stack.push_back({callee, begin[callee.index()]});
    }
  }
  return order;
}

void verify(const Module& module) {
  for (const Computation& computation : module.computations) {
    verify_parameters(module, computation);
    verify_heading(module, computation);
  }
  for (const Instruction& instruction : module.instructions) {
    const int count = static_cast<int>(instruction.operands.count);
    const OpcodeEntry& entry = *instruction.entry;
    if (count < entry.min_operands || (entry.max_operands >= 0 && count > entry.max_operands))
      fail("{}: '{}' has {} operands, which {} does not take", module.where(instruction.name), instruction.name, count,
           instruction.opcode);
    verify_shapes(module, instruction);
    verify_calls(module, instruction);
  }
  callees_first(module);
}

}  // namespace hone::hlo
