#pragma once

#include <string>
#include <vector>

#include "graph/ops/infer.h"

namespace hone {

/// How far inference comes in a model that it may not fit.
struct InferredSoFar {
  std::size_t nodes = 0;                   // that were inferred, in topological order
  NodeId refusing;                         // the first whose inputs do not fit it; none when all do
  std::string refusal;                     // why
  std::vector<UnrunnableBody> unrunnable;  // branches that could not run, see KnownContents
};

/// The same as infer_types, in place and up to the first node that refuses its inputs, which is no error here.
InferredSoFar infer_types_so_far(Model& model);

}  // namespace hone
