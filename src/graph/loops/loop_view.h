#pragma once

#include <optional>
#include <variant>

#include "graph/loops/operator_loop.h"

namespace hone {

/// How a tensor lies in an array. Channels in blocks: axis 1 is cut into blocks of 16, whose elements follow one
/// another innermost, as convolutions like it; `strides[1]` is then that from block to block.
struct LoopView {
  static constexpr std::int64_t kBlock = 16;

  ElementType element = ElementType::float32;
  Dims dims;
  Dims strides;  // in elements
  std::int64_t offset = 0;
  bool has_blocks = false;

  friend bool operator==(const LoopView&, const LoopView&) = default;
};

/// Row after row, from the start of its array.
LoopView dense_view(ElementType element, const Dims& dims);
/// With channels last.
LoopView channels_last_view(ElementType element, const Dims& dims);
/// With channels in blocks, the last of them filled up.
LoopView blocked_view(ElementType element, const Dims& dims);

/// Elements from the first to the last of the array, filling included.
std::int64_t span_of(const LoopView& view);
/// Whether its elements are those of a dense array, without gaps.
bool is_dense(const LoopView& view);

/// Along which axis of a tensor an axis of a loop goes, and how far with each step; nothing where it stands still.
struct AxisStep {
  std::size_t axis = 0;
  std::int64_t step = 0;
};

/// An index into a dense array, element of a point by element, as indices into the axes of a tensor.
struct AxisAccess {
  std::vector<std::int64_t> first;             // by axis of the tensor: index of the first point
  std::vector<std::optional<AxisStep>> steps;  // by axis of the loop
};

/// That an axis of a loop goes along two axes of a tensor: cut in two, it would not.
struct AxisCut {
  std::size_t axis = 0;
  std::int64_t inner = 0;  // extent of the inner one of the two
};

/// Takes an index apart: `strides` are those of the axes of a tensor of `dims`, `extents` those of the loop. Monostate
/// where the index is not one of steps along axes.
std::variant<std::monostate, AxisCut, AxisAccess> along_axes(const LoopRead& index, const Dims& extents,
                                                             const Dims& dims, const Dims& strides);

/// Where the elements that a loop asks for by their index in a dense tensor lie in the array of a view.
std::variant<std::monostate, AxisCut, LoopRead> in_array(const LoopView& view, const LoopRead& index,
                                                         const Dims& extents);

/// The output of an operator that moves elements, as a view of its input; nothing where it takes a copy.
std::optional<LoopView> moved_view(const LoopView& input, const OperatorLoop& loop);

}  // namespace hone
