#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "graph/ops/interpolation.h"
#include "graph/ops/op.h"

namespace hone {

/// By element of the output along one axis: which elements of the input make it up. Nothing of an axis that stays as it
/// is; of an element that shows no part of the input, no taps.
using AxisTaps = std::vector<std::vector<Tap>>;

/// How a Resize or Upsample of these dims goes along each axis; `tensor` gives the contents of an input of the node.
std::vector<AxisTaps> resize_taps(const NodeReader& node, const Dims& dims,
                                  const std::function<const Tensor&(std::size_t)>& tensor);

}  // namespace hone
