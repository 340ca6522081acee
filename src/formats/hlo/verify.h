#pragma once

#include <vector>

#include "formats/hlo/module.h"

namespace hone::hlo {

/// Throws InputError naming the first place where a module breaks a rule: parameters numbered from 0 without gaps,
/// headings that match their bodies, callees that fit their callers, shapes that follow from operands, no recursion.
/// Operands precede their use by construction.
void verify(const Module& module);

/// Computations such that callees come before callers. Throws InputError on recursion.
std::vector<ComputationId> callees_first(const Module& module);

/// The part of `verify` that looks at one instruction and its operands' shapes.
void verify_shapes(const Module& module, const Instruction& instruction);

}  // namespace hone::hlo
