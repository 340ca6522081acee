#pragma once

#include "graph/ir/model.h"

namespace hone::native {

/// Normalisations by given statistics become a product and a sum with constants, one a channel. Types must be known and
/// are kept.
void fold_normalizations(Model& model);

}  // namespace hone::native
