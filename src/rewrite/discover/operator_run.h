#pragma once

#include <span>
#include <vector>

#include "rewrite/discover/world.h"

namespace hone {

/// Runs one operator by its definition in the op table. Throws InputError when it refuses its operands.
std::vector<Tensor> run_operator(const OpName* op, const NamedTerms& attributes, std::span<const Tensor> operands,
                                 std::size_t outputs);

}  // namespace hone
