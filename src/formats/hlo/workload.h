#pragma once

#include <span>
#include <vector>

#include "formats/hlo/module.h"
#include "plan/problem/workload.h"

namespace hone::hlo {

/// What has to be run to run the entry computation; called computations are folded into their callers' cost.
///
/// Every array an instruction makes is a buffer. Parameters are inputs, constants weights; tuples and their elements
/// are names for buffers and no work. Views, in-place updates, loops and outputs that XLA may write over a donated
/// parameter share memory
/// (`Buffer::alias_of`); where one buffer overwrites another, its writer depends on the readers of the other, so that
/// any topological order is safe. The file's order becomes `given_order` when the module says it is scheduled.
Workload to_workload(const Module& module);

/// The instructions that are operations, by OperationId: those of the entry computation in file order, without
/// parameters, constants, tuples and their elements.
std::vector<InstructionId> operation_instructions(const Module& module);

/// An order of the whole entry computation that runs the operations in the given order, with everything else as late as
/// possible. Throws InputError for an operation that does not exist; whether the order is a valid one,
/// `print_with_order` checks.
std::vector<InstructionId> entry_order(const Module& module, std::span<const OperationId> order);

}  // namespace hone::hlo
