#pragma once

#include "graph/ir/model.h"
#include "plan/problem/workload.h"

namespace hone {

/// The loop of a node of the model's graph, with one access for each input that is not omitted. None for a node that
/// has no static types, calls a function of the model, draws random numbers or whose results are not each an index
/// computation, a reduction or a contraction away from its inputs.
Loop loop_of(const Model& model, NodeId id);

}  // namespace hone
