#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "graph/ir/tensor.h"
#include "graph/ir/type.h"
#include "graph/ops/op.h"

namespace hone {

/// Axis counted from the front: -1 is the last of `rank`. Throws InputError through `node` when out of range.
std::size_t normalize_axis(const NodeReader& node, std::int64_t axis, std::size_t rank);
/// The same for a list, sorted and distinct.
std::vector<std::size_t> normalize_axes(const NodeReader& node, std::span<const std::int64_t> axes, std::size_t rank);

/// Shape of the two after broadcasting: trailing dims are aligned, 1 stretches. A symbolic dim against a number over 1
/// gives the number, two different symbols give unknown. Throws InputError through `node` for numbers that differ.
Shape broadcast(const NodeReader& node, const Shape& a, const Shape& b);
Dims broadcast(const NodeReader& node, const Dims& a, const Dims& b);

/// Row-major strides, in elements.
Dims strides_of(const Dims& dims);
/// Strides for reading a tensor of `dims` as if it had the broadcast dims `target`: 0 where it is stretched.
Dims broadcast_strides(const Dims& dims, const Dims& target);

/// Steps through all index tuples of `dims` in row-major order while keeping offsets into several strided arrays.
///
///   for (StridedWalk walk(dims, {&a_strides, &b_strides}); !walk.done(); walk.next())
///     out[walk.position()] = a[walk.offset(0)] + b[walk.offset(1)];
class StridedWalk {
 public:
  StridedWalk(const Dims& dims, std::initializer_list<const Dims*> strides);

  bool done() const { return position_ == count_; }
  void next();
  std::size_t position() const { return position_; }
  std::size_t offset(std::size_t array) const { return static_cast<std::size_t>(offsets_[array]); }
  std::int64_t index(std::size_t axis) const { return index_[axis]; }

 private:
  Dims dims_;
  Dims index_;
  std::vector<Dims> strides_;
  std::vector<std::int64_t> offsets_;
  std::size_t position_ = 0;
  std::size_t count_;
};

}  // namespace hone
