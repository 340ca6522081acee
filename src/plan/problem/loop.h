#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/problem/workload.h"

// Loops from the sizes of arrays, whatever format these come from. Elements are counted in the order in which the last
// axis runs fastest.

namespace hone {

/// How the points of an array of `sizes` read one that is stretched over it: of as many axes, 1 long where stretched.
Access access_of(std::span<const std::int64_t> stretched, std::span<const std::int64_t> sizes);

/// True when the elements follow one another as before once axis `order[i]` stands at place i.
bool keeps_order(std::span<const std::int64_t> order, std::span<const std::int64_t> sizes);

/// The loop that computes each of `points` results by itself.
Loop map_loop(double points, std::vector<Access> reads);

/// The loop of a contraction with `points` results, which reads each of its inputs many times.
Loop contraction_loop(double points, std::size_t inputs);

/// The loop that folds an array of `sizes` over the axes that are `folded`, one result a row or column; `reads[0]` is
/// the array.
Loop fold_loop(std::span<const std::int64_t> sizes, const std::vector<bool>& folded, std::vector<Access> reads);

/// The loop that changes every element by all that lie in its row: softmax, norms. None when they do not follow one
/// another.
Loop row_loop(std::span<const std::int64_t> sizes, const std::vector<bool>& in_row, std::vector<Access> reads);

}  // namespace hone
