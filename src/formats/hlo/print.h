#pragma once

#include <span>
#include <string>

#include "formats/hlo/module.h"

namespace hone::hlo {

/// HLO text that reads back equal to the module.
std::string print(const Module& module);

/// A shape as HLO text writes it, layout included.
std::string print_shape(const Module& module, ShapeId shape);

/// The same text with the entry computation in the given order and `is_scheduled=true`. Throws InputError unless
/// `order` holds every instruction of the entry computation once, each after its operands and control predecessors.
std::string print_with_order(const Module& module, std::span<const InstructionId> order);

}  // namespace hone::hlo
