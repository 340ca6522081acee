#pragma once

#include "run/native/direct_step.h"

namespace hone::native {

/// A convolution by plain code on dense arrays, of any type that loops have; false where its shape is not one it takes.
bool lower_plain_convolution(Lowering& lowering, NodeId id);

/// The same of a transposed convolution.
bool lower_plain_transposed_convolution(Lowering& lowering, NodeId id);

}  // namespace hone::native
