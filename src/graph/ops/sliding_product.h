#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "graph/ops/axes.h"
#include "graph/ops/matrix_product.h"
#include "graph/ops/numbers.h"
#include "graph/ops/window.h"

// Convolution as a matrix product over patches, and its transpose.

namespace hone {

/// A convolution with every number known. A transposed one has the same geometry with the roles of `wide` (what windows
/// slide over) and `narrow` (where they stand) swapped between input and output.
struct SlidingGeometry {
  std::int64_t batch = 1;
  std::int64_t groups = 1;
  std::int64_t wide_channels = 1;    // of one group
  std::int64_t narrow_channels = 1;  // of one group
  Dims wide;                         // spatial dims that windows slide over
  Dims narrow;                       // how many windows along each axis
  std::vector<WindowAxis> window;

  std::int64_t wide_plane() const { return element_count(wide); }
  std::int64_t narrow_plane() const { return element_count(narrow); }
  std::int64_t taps() const {
    std::int64_t count = 1;
    for (const WindowAxis& axis : window) count *= axis.size;
    return count;
  }
};

namespace detail {

/// Windows are handled this many at a time, so that patches stay small.
inline constexpr std::int64_t kPatchColumns = 512;

/// For each tap and each of `count` windows from `first` on: which element of the wide plane it reads, -1 for padding.
inline std::vector<std::int64_t> tap_offsets(const SlidingGeometry& geometry, std::int64_t first, std::int64_t count) {
  const std::size_t rank = geometry.window.size();
  const Dims strides = strides_of(geometry.wide);
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(geometry.taps() * count), 0);
  for (std::int64_t tap = 0; tap < geometry.taps(); ++tap) {
    for (std::int64_t i = 0; i < count; ++i) {
      std::int64_t& offset = offsets[static_cast<std::size_t>(tap * count + i)];
      std::int64_t tap_rest = tap, window_rest = first + i;
      for (std::size_t axis = rank; axis-- > 0;) {
        const WindowAxis& along = geometry.window[axis];
        const std::int64_t at = (window_rest % geometry.narrow[axis]) * along.stride - along.pad_begin +
                                (tap_rest % along.size) * along.dilation;
        window_rest /= geometry.narrow[axis];
        tap_rest /= along.size;
        if (at < 0 || at >= geometry.wide[axis]) offset = -1;
        if (offset >= 0) offset += at * strides[axis];
      }
    }
  }
  return offsets;
}

/// Calls `visit(first, count, offsets)` for successive blocks of windows.
template <class Visit>
void for_window_blocks(const SlidingGeometry& geometry, Visit visit) {
  const std::int64_t plane = geometry.narrow_plane();
  for (std::int64_t first = 0; first < plane; first += kPatchColumns) {
    const std::int64_t count = std::min(kPatchColumns, plane - first);
    visit(first, count, tap_offsets(geometry, first, count));
  }
}

}  // namespace detail

/// Convolution of `wide` [batch, groups * wide_channels, ...] with `weights`
/// [groups * narrow_channels, wide_channels, taps]: [batch, groups * narrow_channels, ...].
template <class T>
std::vector<T> convolve(const SlidingGeometry& geometry, const T* wide, const T* weights) {
  const std::int64_t wide_plane = geometry.wide_plane(), narrow_plane = geometry.narrow_plane();
  const std::int64_t taps = geometry.taps(), inner = geometry.wide_channels * taps;
  const std::int64_t stacks = geometry.batch * geometry.groups;
  std::vector<T> narrow(buffer_size({stacks, geometry.narrow_channels, narrow_plane}));
  if (narrow.empty()) return narrow;
  std::vector<T> patches;
  detail::for_window_blocks(geometry, [&](std::int64_t first, std::int64_t count, const auto& offsets) {
    patches.resize(static_cast<std::size_t>(inner * count));
    for (std::int64_t stack = 0; stack < stacks; ++stack) {
      for (std::int64_t channel = 0; channel < geometry.wide_channels; ++channel) {
        const T* from = wide + (stack * geometry.wide_channels + channel) * wide_plane;
        T* to = patches.data() + channel * taps * count;
        for (std::int64_t i = 0; i < taps * count; ++i) {
          const std::int64_t offset = offsets[static_cast<std::size_t>(i)];
          to[i] = offset < 0 ? T{} : from[offset];
        }
      }
      const T* filter = weights + (stack % geometry.groups) * geometry.narrow_channels * inner;
      T* out = narrow.data() + stack * geometry.narrow_channels * narrow_plane + first;
      matrix_product<T>({geometry.narrow_channels, inner, count}, {filter, inner}, {patches.data(), count},
                        {out, narrow_plane});
    }
  });
  return narrow;
}

/// The transpose: every element of `narrow` [batch, groups * narrow_channels, ...] adds its multiple of `weights`
/// [groups * narrow_channels, wide_channels, taps] to the wide elements its window covers.
template <class T>
std::vector<T> convolve_transposed(const SlidingGeometry& geometry, const T* narrow, const T* weights) {
  const std::int64_t wide_plane = geometry.wide_plane(), narrow_plane = geometry.narrow_plane();
  const std::int64_t taps = geometry.taps(), spread = geometry.wide_channels * taps;
  const std::int64_t stacks = geometry.batch * geometry.groups;
  std::vector<T> wide(buffer_size({stacks, geometry.wide_channels, wide_plane}));
  if (wide.empty()) return wide;
  std::vector<T> patches;
  detail::for_window_blocks(geometry, [&](std::int64_t first, std::int64_t count, const auto& offsets) {
    patches.resize(static_cast<std::size_t>(spread * count));
    for (std::int64_t stack = 0; stack < stacks; ++stack) {
      const T* filter = weights + (stack % geometry.groups) * geometry.narrow_channels * spread;
      const T* in = narrow + stack * geometry.narrow_channels * narrow_plane + first;
      matrix_product<T>({spread, geometry.narrow_channels, count}, {filter, 1, spread}, {in, narrow_plane},
                        {patches.data(), count});
      for (std::int64_t channel = 0; channel < geometry.wide_channels; ++channel) {
        T* to = wide.data() + (stack * geometry.wide_channels + channel) * wide_plane;
        const T* from = patches.data() + channel * taps * count;
        for (std::int64_t i = 0; i < taps * count; ++i) {
          const std::int64_t offset = offsets[static_cast<std::size_t>(i)];
          if (offset >= 0) to[offset] += from[i];
        }
      }
    }
  });
  return wide;
}

/// Adds one number a channel to [batch, channels, ...].
template <class T>
void add_bias(const NodeReader& node, std::vector<T>& sums, const Dims& dims, const Tensor& bias) {
  if (bias.rank() != 1 || bias.dim(0) != dims[1])
    node.fail("a bias {} for {} channels", text_of(bias.shape()), dims[1]);
  const Numbers<T> added(bias);
  const auto plane = static_cast<std::size_t>(count_between(dims, 2, dims.size()));
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += added[i / plane % added.size()];
}

}  // namespace hone
