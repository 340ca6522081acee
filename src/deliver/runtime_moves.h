#pragma once

#include <vector>

#include "deliver/proposal.h"
#include "run/runtime/runtime.h"

namespace hone {

/// The changes of a runtime's options that could make this model faster with so many threads. The runtime must outlive
/// them.
std::vector<Move> runtime_moves(const Runtime& runtime, const Model& model, std::size_t threads, OptionRange range);

}  // namespace hone
