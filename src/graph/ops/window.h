#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "graph/ir/tensor.h"
#include "graph/ops/op.h"

// Windows that slide over the spatial axes of a tensor: the arithmetic that convolution and pooling share.

namespace hone {

/// How a window slides along one spatial axis.
struct WindowAxis {
  std::int64_t size = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t pad_begin = 0;
  std::int64_t pad_end = 0;

  /// From the first to the last element a window covers.
  std::int64_t extent() const { return (size - 1) * dilation + 1; }
};

/// A window over all spatial axes as a node's attributes give it.
struct Window {
  /// Who says how much padding there is: the pads attribute, or the rule that ceil(input / stride) windows fit, the odd
  /// one of the padding going to the end (upper) or to the beginning (lower).
  enum class Padding { given, same_upper, same_lower };

  std::vector<WindowAxis> axes;
  Padding padding = Padding::given;
  bool partial_last = false;  // ceil_mode: a last window may reach over the end

  /// Positions of the window along an axis with `input` elements. Throws InputError through `node` when it never fits.
  Dim count(const NodeReader& node, std::size_t axis, Dim input) const;
  /// The window with the paddings that the "same" rules give for an input of these spatial dims.
  Window padded_for(std::span<const std::int64_t> spatial) const;
};

/// The elements of a plane that one position of a window covers, padding left out.
struct CoveredElements {
  const Dims& spatial;
  const Dims& strides;  // of the plane, in elements
  std::span<const WindowAxis> axes;
  Dims position;  // of the window, along each axis

  /// Calls `visit(offset)` for every covered element in row-major order.
  template <class Visit>
  void for_each(Visit visit) const {
    visit_from(0, 0, visit);
  }

 private:
  template <class Visit>
  void visit_from(std::size_t axis, std::int64_t offset, Visit& visit) const {
    if (axis == axes.size()) return visit(offset);
    const WindowAxis& along = axes[axis];
    const std::int64_t start = position[axis] * along.stride - along.pad_begin;
    const std::int64_t first = start >= 0 ? 0 : (-start + along.dilation - 1) / along.dilation;
    for (std::int64_t tap = first; tap < along.size; ++tap) {
      const std::int64_t at = start + tap * along.dilation;
      if (at >= spatial[axis]) return;
      visit_from(axis + 1, offset + at * strides[axis], visit);
    }
  }
};

/// Reads strides, dilations, pads, auto_pad and ceil_mode, as far as the operator has them, for a window of `sizes`.
Window read_window(const NodeReader& node, std::span<const std::int64_t> sizes);

/// The node's kernel_shape, checked; nullopt when it does not have the attribute.
std::optional<std::vector<std::int64_t>> kernel_shape(const NodeReader& node);
/// The window of a convolution: the spatial dims of its weights, else its kernel_shape; nullopt when neither is known.
std::optional<std::vector<std::int64_t>> weight_window(const NodeReader& node, const Shape* weights);

/// `shape` with the sizes that sliding the window of these weights over x leaves after batch and channels; unchanged
/// when the window is not known.
Shape windowed_shape(const NodeReader& node, Shape shape, const Shape& x, const Shape* weights);

}  // namespace hone
