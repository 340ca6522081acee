#pragma once

#include "formats/hlo/module.h"
#include "plan/problem/workload.h"

namespace hone::hlo {

/// The loop of an instruction, with one access for each operand. None for one that has several results, has
/// effects, calls computations for more than single elements, or works on anything but arrays of fixed sizes. Throws
/// InputError when an attribute cannot be understood.
Loop loop_of(const Module& module, const Instruction& instruction);

}  // namespace hone::hlo
