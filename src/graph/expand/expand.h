#pragma once

#include "graph/ir/model.h"

namespace hone {

/// Replaces operators that have an expansion by what they are made of, in the graph itself, not in bodies; types are
/// inferred afterwards. Returns how many were replaced.
std::size_t expand_operators(Model& model);

}  // namespace hone
