#pragma once

#include "graph/ir/type.h"

namespace hone {

/// The most precise type that covers both: differing dims become unknown, differing ranks an unknown rank. What one
/// side does not know keeps the other's element type only, since ONNX asks alternatives to agree in that.
Type join(const Type& a, const Type& b);

/// The type without anything about shapes, inside containers too.
Type without_shape(const Type& type);

}  // namespace hone
