#pragma once

#include <cstdint>
#include <vector>

#include "graph/ops/numbers.h"
#include "graph/ops/op.h"

// What the quantised products share: taking off zero points before, scaling and rounding after.

namespace hone {

/// Elements minus their zero points, in the wrapping integers products are computed in. `zero_point` is null for none,
/// else broadcasts to the tensor.
std::vector<std::uint32_t> centered(const NodeReader& node, const Tensor& tensor, const Tensor* zero_point);

/// Rounds (ties to even), adds the zero point and saturates to the 8-bit type.
double quantized(double real, double zero_point, ElementType type);

}  // namespace hone
