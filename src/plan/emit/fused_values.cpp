#include "plan/emit/fused_values.h"

#include <algorithm>
#include <set>

#include "base/distinct.h"
#include "formats/hlo/memory.h"
#include "formats/hlo/workload.h"

namespace hone {
namespace {

using hlo::Instruction;
using hlo::InstructionId;

/// Cheaper to repeat than to pass.
bool is_scalar_constant(const hlo::Module& module, const Instruction& instruction) {
  const hlo::Shape& shape = module.shape(instruction.shape);
  return instruction.kind() == hlo::OpKind::constant && shape.is_array() && shape.rank() == 0;
}

}  // namespace

FusedValues::FusedValues(const hlo::Module& module, const Plan& plan)
    : module_(module),
      range_(module.entry_computation().instructions),
      inside_(range_.count),
      bodies_(plan.group_count()),
      reads_(plan.group_count()),
      stores_(plan.group_count()),
      sizes_(plan.group_count()),
      needed_(range_.count) {
  place_instances(plan);
  place_names();
  for (std::size_t group = 0; group < bodies_.size(); ++group) fill_body(GroupId(group));
  find_needed();
  list_stores(plan);
}

bool FusedValues::is_inside(GroupId group, InstructionId id) const {
  return std::ranges::binary_search(inside_[position(id)], group);
}

void FusedValues::place_instances(const Plan& plan) {
  const std::vector<InstructionId> operations = hlo::operation_instructions(module_);
  const auto place = [&](OperationId operation, GroupId group) {
    const InstructionId id = operations[operation.index()];
    inside_[position(id)].push_back(group);
    bodies_[group.index()].push_back(id);
    ++sizes_[group.index()];
  };
  for (std::size_t i = 0; i < operations.size(); ++i) place(OperationId(i), plan.group(OperationId(i)));
  for (const Plan::Copy& copy : plan.copies) place(copy.operation, copy.group);
  for (std::vector<GroupId>& groups : inside_) std::ranges::sort(groups);
}

void FusedValues::place_names() {
  for (std::size_t i = 0; i < range_.count; ++i) {
    const Instruction& instruction = module_.instruction(at(i));
    if (hlo::is_operation(instruction)) continue;
    std::vector<GroupId> groups;
    for (const InstructionId operand : module_.operands(instruction))
      groups.insert(groups.end(), inside_[position(operand)].begin(), inside_[position(operand)].end());
    inside_[i] = distinct(std::move(groups));
  }
}

/// Adds to a group's operations what they read and is made inside, and lists what is not.
void FusedValues::fill_body(GroupId group) {
  std::vector<InstructionId>& body = bodies_[group.index()];
  std::vector<InstructionId>& reads = reads_[group.index()];
  std::set<InstructionId> seen(body.begin(), body.end());
  for (std::size_t i = 0; i < body.size(); ++i)
    for (const InstructionId operand : module_.operands(module_.instruction(body[i]))) {
      if (!seen.insert(operand).second) continue;
      const bool is_repeated = is_fused(group) && is_scalar_constant(module_, module_.instruction(operand));
      (is_inside(group, operand) || is_repeated ? body : reads).push_back(operand);
    }
  std::ranges::sort(body);
  std::ranges::sort(reads);
}

/// What nobody reads stays, as do all parameters and what control edges come from.
void FusedValues::find_needed() {
  std::vector<bool> is_used(range_.count);
  for (std::size_t i = 0; i < range_.count; ++i)
    for (const InstructionId operand : module_.operands(module_.instruction(at(i)))) is_used[position(operand)] = true;
  for (const std::vector<InstructionId>& reads : reads_)
    for (const InstructionId id : reads) needed_[position(id)] = true;
  needed_[position(module_.entry_computation().root)] = true;
  for (std::size_t i = range_.count; i-- > 0;) {  // readers come later
    const Instruction& instruction = module_.instruction(at(i));
    if (!is_used[i] || instruction.kind() == hlo::OpKind::parameter) needed_[i] = true;
    for (const InstructionId before : module_.predecessors(instruction))
      if (!hlo::is_operation(module_.instruction(before))) needed_[position(before)] = true;
    if (!needed_[i] || hlo::is_operation(instruction)) continue;
    for (const InstructionId operand : module_.operands(instruction)) needed_[position(operand)] = true;
  }
}

void FusedValues::list_stores(const Plan& plan) {
  const std::vector<InstructionId> operations = hlo::operation_instructions(module_);
  for (std::size_t i = 0; i < operations.size(); ++i)
    if (needed_[position(operations[i])]) stores_[plan.group(OperationId(i)).index()].push_back(operations[i]);
  // A computation has to have a root, even if copies elsewhere have left it without readers.
  for (std::size_t i = operations.size(); i-- > 0;)
    if (std::vector<InstructionId>& stores = stores_[plan.group(OperationId(i)).index()]; stores.empty())
      stores.push_back(operations[i]);
}

}  // namespace hone
