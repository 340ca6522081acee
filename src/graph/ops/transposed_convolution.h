#pragma once

#include <span>

#include "graph/ops/window.h"

namespace hone {

/// How a transposed convolution spreads its input: the window, and the spatial dims it fills.
struct Spread {
  Window window;
  Shape spatial;
};

/// For an input of shape `x` and a window of these sizes.
Spread spread_of(const NodeReader& node, const Shape& x, std::span<const std::int64_t> sizes);

}  // namespace hone
