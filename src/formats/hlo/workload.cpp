#include "formats/hlo/workload.h"

#include <algorithm>

#include "base/error.h"
#include "formats/hlo/cost.h"
#include "formats/hlo/instruction_loop.h"
#include "formats/hlo/memory.h"

namespace hone::hlo {
namespace {

/// The first array in a shape; token when there is none.
PrimitiveType first_type(const Module& module, ShapeId shape) {
  for (const ShapeId leaf : leaves(module, shape))
    if (module.shape(leaf).is_array()) return module.shape(leaf).type;
  return PrimitiveType::token;
}

/// What an instruction computes in: matrix products take narrow operands to wide results, comparisons make booleans.
ElementType computes_in(const Module& module, const Instruction& instruction, OperationClass operation_class) {
  PrimitiveType type = first_type(module, instruction.shape);
  const bool by_operand = operation_class == OperationClass::matmul || operation_class == OperationClass::convolution ||
                          type == PrimitiveType::pred;
  if (by_operand && instruction.operands.count > 0)
    type = first_type(module, module.instruction(module.operands(instruction)[0]).shape);
  return element_type_of(type);
}

/// Builds the workload of one entry computation.
class Lowering {
 public:
  explicit Lowering(const Module& module)
      : module_(module),
        entry_(module.entry_computation()),
        costs_(module),
        memory_(module),
        builder_(std::string(module.name)) {}

  Workload run() && {
    for (const ArrayValue& value : memory_.values()) add_buffer(value);
    std::vector<OperationId> operation_at(entry_.instructions.count);
    for (Position position = 0; position < entry_.instructions.count; ++position)
      if (is_operation(instruction(position))) operation_at[position] = add_operation(position);
    for (const MemoryOrder& order : memory_.orders())
      builder_.add_dependency(operation_at[order.before], operation_at[order.after]);
    add_control_dependencies(operation_at);
    if (module_.is_scheduled()) {
      std::erase_if(operation_at, [](OperationId id) { return !id.valid(); });
      builder_.set_given_order(std::move(operation_at));
    }
    return std::move(builder_).build();
  }

 private:
  /// A buffer that an instruction reads, and how.
  struct Read {
    BufferId buffer;
    Access access = Access::other;
  };

  const Instruction& instruction(Position position) const {
    return module_.instructions[entry_.instructions.begin + position];
  }

  void add_buffer(const ArrayValue& value) {
    const Instruction& producer = instruction(value.producer);
    Buffer buffer;
    buffer.name = producer.name;
    buffer.bytes = byte_count(module_, value.shape);
    buffer.kind = producer.kind() == OpKind::parameter  ? Buffer::Kind::input
                  : producer.kind() == OpKind::constant ? Buffer::Kind::weight
                                                        : Buffer::Kind::activation;
    buffer.is_output = value.is_output;
    if (value.alias != ArrayValue::kNone) buffer.alias_of = BufferId(value.alias);
    builder_.add_buffer(std::move(buffer));
  }

  OperationId add_operation(Position position) {
    const Instruction& one = instruction(position);
    const Cost& cost = costs_.of(InstructionId(entry_.instructions.begin + position));
    Operation operation;
    operation.name = one.name;
    operation.op = one.opcode;
    operation.operation_class = cost.operation_class;
    operation.element = computes_in(module_, one, cost.operation_class);
    operation.flops = cost.flops;
    operation.bytes = cost.bytes;
    operation.loop = loop_of(module_, one);
    std::vector<BufferId> inputs, outputs;
    const std::vector<Read> reads = reads_of(one, operation.loop);
    operation.loop.reads.clear();
    for (const Read& read : reads) {
      inputs.push_back(read.buffer);
      operation.loop.reads.push_back(read.access);
    }
    for (const std::uint32_t leaf : memory_.leaves_of(position)) outputs.emplace_back(leaf);
    return builder_.add_operation(std::move(operation), inputs, outputs);
  }

  /// What an instruction reads, by ascending buffer; what it reads through several operands is there for each.
  std::vector<Read> reads_of(const Instruction& instruction, const Loop& loop) const {
    std::vector<Read> reads;
    const std::span<const InstructionId> operands = module_.operands(instruction);
    for (std::size_t i = 0; i < operands.size(); ++i)
      for (const std::uint32_t leaf : memory_.leaves_of(operands[i].index() - entry_.instructions.begin))
        reads.push_back({BufferId(leaf), loop.kind == Loop::Kind::none ? Access::other : loop.reads[i]});
    std::ranges::stable_sort(reads, {}, &Read::buffer);
    return reads;
  }

  void add_control_dependencies(const std::vector<OperationId>& operation_at) {
    for (Position position = 0; position < entry_.instructions.count; ++position)
      for (const InstructionId before : module_.predecessors(instruction(position))) {
        const OperationId first = operation_at[before.index() - entry_.instructions.begin];
        if (first.valid() && operation_at[position].valid()) builder_.add_dependency(first, operation_at[position]);
      }
  }

  const Module& module_;
  const Computation& entry_;
  Costs costs_;
  EntryMemory memory_;
  WorkloadBuilder builder_;
};

/// Lays out the entry computation around a given order of its work.
class Arrangement {
 public:
  explicit Arrangement(const Module& module)
      : module_(module), range_(module.entry_computation().instructions), seen_(range_.count) {}

  /// Places an operation after the parameters, constants and tuples it needs and that stand nowhere yet.
  void place(InstructionId operation) {
    const std::size_t first = order_.size();
    take(operation);
    for (std::size_t i = first; i < order_.size(); ++i) {
      const Instruction& instruction = module_.instruction(order_[i]);
      for (const auto before : {module_.operands(instruction), module_.predecessors(instruction)})
        for (const InstructionId id : before)
          if (!is_operation(module_.instruction(id))) take(id);
    }
    // File order is right among names; the operation itself comes last.
    std::sort(order_.begin() + static_cast<std::ptrdiff_t>(first), order_.end(),
              [operation](InstructionId a, InstructionId b) { return a != operation && (b == operation || a < b); });
  }

  std::vector<InstructionId> finish() && {
    for (std::uint32_t i = range_.begin; i < range_.begin + range_.count; ++i)
      if (!is_operation(module_.instructions[i])) take(InstructionId(i));
    return std::move(order_);
  }

 private:
  void take(InstructionId id) {
    if (seen_[id.index() - range_.begin]) return;
    seen_[id.index() - range_.begin] = true;
    order_.push_back(id);
  }

  const Module& module_;
  Range range_;
  std::vector<bool> seen_;
  std::vector<InstructionId> order_;
};

}  // namespace

Workload to_workload(const Module& module) { return Lowering(module).run(); }

std::vector<InstructionId> operation_instructions(const Module& module) {
  const Range range = module.entry_computation().instructions;
  std::vector<InstructionId> found;
  for (std::uint32_t i = range.begin; i < range.begin + range.count; ++i)
    if (is_operation(module.instructions[i])) found.emplace_back(i);
  return found;
}

std::vector<InstructionId> entry_order(const Module& module, std::span<const OperationId> order) {
  const std::vector<InstructionId> operations = operation_instructions(module);
  if (order.size() != operations.size())
    fail("{}: an order of {} operations for an entry computation with {}", module.file, order.size(),
         operations.size());
  Arrangement arrangement(module);
  for (const OperationId operation : order) {
    if (operation.index() >= operations.size())
      fail("{}: the order names an operation that does not exist", module.file);
    arrangement.place(operations[operation.index()]);
  }
  return std::move(arrangement).finish();
}

}  // namespace hone::hlo
