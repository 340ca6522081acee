#pragma once

#include <map>
#include <vector>

#include "graph/ir/model.h"

namespace hone::native {

/// Normalisations by given statistics become a product and a sum with constants, one a channel. Types must be known and
/// are kept. Returns the two nodes that took the place of each.
std::map<NodeId, std::vector<NodeId>> fold_normalizations(Model& model);

}  // namespace hone::native
