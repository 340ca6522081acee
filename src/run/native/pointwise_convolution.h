#pragma once

#include "run/native/lowering.h"

namespace hone::native {

/// Lowers a convolution that sees one place at a time as a product of places with packed weights; false where it is
/// another one, or this processor has no code for it.
bool lower_pointwise_convolution(Lowering& lowering, NodeId id);

}  // namespace hone::native
