#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/ir/tensor.h"

// Copying elements without regard to their type: fixed-width, packed under 8 bits, or strings.

namespace hone {

/// Where a block of elements lies in a tensor: its first element, and the distance between neighbours along each axis.
struct BlockPlace {
  std::int64_t offset = 0;
  Dims strides;
};

/// Copies a block of `dims` elements between two tensors of the same element type. Both placements must lie inside.
void copy_block(const Dims& dims, Tensor& to, const BlockPlace& target, const Tensor& from, const BlockPlace& source);

/// A new tensor of `dims` that holds the block of `from` at `source`.
Tensor strided_copy(const Tensor& from, const Dims& dims, const BlockPlace& source);

/// A new tensor of `dims` with the first element of `value` everywhere.
Tensor filled(const Tensor& value, const Dims& dims);

/// A copy that nobody shares, so that it may be written to.
Tensor unshared_copy(const Tensor& tensor);

/// The tensor with its axes in the order of `permutation`.
Tensor permuted(const Tensor& tensor, std::span<const std::size_t> permutation);

/// A new tensor of `dims` made of equal runs of elements: run i is run `sources[i]` of `from`, and zero for a source of
/// -1.
Tensor pick_runs(const Tensor& from, const Dims& dims, std::span<const std::int64_t> sources);

/// A new tensor that takes, along each axis, the listed coordinates of `from`; coordinate -1 gives zeros.
Tensor pick_coordinates(const Tensor& from, std::span<const std::vector<std::int64_t>> coordinates);

/// Overwrites run `targets[i]` of `to` with run i of `from`, which has one run for each target.
void place_runs(Tensor& to, const Tensor& from, std::span<const std::int64_t> targets);

/// A shape whose dims are all numbers as Dims; throws InputError when one is not, having overflowed.
Dims static_dims(const Shape& shape);

}  // namespace hone
