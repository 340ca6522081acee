#pragma once

#include <vector>

#include "formats/hlo/module.h"

namespace hone::hlo {

/// Bytes an instruction that calls no computation moves when it runs alone: what it reads of its operands and what it
/// writes; of a collective, what crosses the links of one device.
double bytes_of(const Module& module, const Instruction& instruction);

/// Bytes that cross the edges of a fused computation: parameters that are only sliced count as their slices, a result
/// that updates a slice in place counts as the slice.
double fused_bytes(const Module& module, const Computation& fused);

/// For every result of a fused computation, the parameter it updates in place; none where it is computed afresh.
std::vector<InstructionId> updated_in_place(const Module& module, const Computation& fused);

}  // namespace hone::hlo
