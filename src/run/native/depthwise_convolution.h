#pragma once

#include "run/native/lowering.h"

namespace hone::native {

/// A convolution with constant weights that sees every channel by itself, by own code; false where there is none for
/// its window.
bool lower_depthwise_convolution(Lowering& lowering, NodeId id);

}  // namespace hone::native
