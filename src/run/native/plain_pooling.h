#pragma once

#include "graph/ops/window.h"
#include "run/native/direct_step.h"

namespace hone::native {

/// MaxPool with indices or of integers, and AveragePool whose last windows reach over the end, by plain code; false for
/// types that it does not take.
bool lower_plain_pooling(Lowering& lowering, NodeId id);

}  // namespace hone::native
