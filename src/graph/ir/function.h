#pragma once

#include "graph/ir/model.h"

namespace hone {

/// The body of a function as one call of it sees it: attribute references replaced by the call's attributes or the
/// function's defaults; attributes given by neither are dropped.
Graph instantiate(const Function& function, const Node& call);

}  // namespace hone
