#pragma once

#include "run/native/lowering.h"

namespace hone::native {

/// A convolution along one axis as one matrix product: with channels last, what a window sees follows one another, so
/// that gathering all windows is a copy of long lines. False where it is no such convolution, or oneDNN is better at
/// it.
bool lower_line_convolution(Lowering& lowering, NodeId id);

}  // namespace hone::native
