#pragma once

#include <optional>
#include <span>
#include <string>

#include "graph/ir/model.h"
#include "graph/ops/datum.h"

namespace hone {

/// Tells faults from rounding where small errors become large ones: before jumps (casts to integers, comparisons,
/// rounding) and after cancellation. Runs `before` many times with a small random error on every result of arithmetic
/// (Monte Carlo arithmetic, Parker 1997); an element of `after` that lies within what those runs give, up to the usual
/// tolerance, is explained. Returns an element that is not, or nullopt. Neither model may have bodies of control flow.
std::optional<std::string> unexplained_by_rounding(const Model& before, const Model& after,
                                                   std::span<const Datum> inputs);

}  // namespace hone
