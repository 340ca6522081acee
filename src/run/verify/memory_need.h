#pragma once

#include "graph/ir/model.h"

namespace hone {

/// Throws InputError, saying what it would take, when running so many of a model with static types at once needs more
/// than half of this machine's memory.
void require_memory(const Model& model, std::size_t at_once = 1);

/// How many of a model with static types can run at once within half of this machine's memory.
std::size_t models_that_fit(const Model& model);

}  // namespace hone
