#include "run/native/plain_convolution.h"

#include <algorithm>

#include "graph/ops/transposed_convolution.h"

// Convolutions by plain code: for weights that are not constant, for elements that oneDNN does not take, and those that
// are transposed.

namespace hone::native {
namespace {

constexpr std::size_t kSpatialAxes = 3;  // those that are missing have one element

/// A convolution, or a transposed one, in which `narrow` and `wide` change their parts: every element of the narrow
/// side belongs to a window of the wide one.
struct Sliding {
  std::int64_t batch = 1, groups = 1;
  std::int64_t wide_channels = 1, narrow_channels = 1;  // of a group
  std::int64_t wide[kSpatialAxes] = {1, 1, 1}, narrow[kSpatialAxes] = {1, 1, 1};
  WindowAxis window[kSpatialAxes];

  std::int64_t wide_plane() const { return wide[0] * wide[1] * wide[2]; }
  std::int64_t narrow_plane() const { return narrow[0] * narrow[1] * narrow[2]; }
  std::int64_t taps() const { return window[0].size * window[1].size * window[2].size; }

  /// Calls `visit(offset, tap)` for the elements of a plane of the wide side that belong to one of the narrow side.
  template <class Visit>
  void for_each_tap(const std::int64_t (&at)[kSpatialAxes], Visit visit) const {
    const auto place = [&](std::size_t axis, std::int64_t tap) {
      return at[axis] * window[axis].stride - window[axis].pad_begin + tap * window[axis].dilation;
    };
    for (std::int64_t i = 0; i < window[0].size; ++i) {
      const std::int64_t x = place(0, i);
      if (x < 0 || x >= wide[0]) continue;
      for (std::int64_t j = 0; j < window[1].size; ++j) {
        const std::int64_t y = place(1, j);
        if (y < 0 || y >= wide[1]) continue;
        for (std::int64_t k = 0; k < window[2].size; ++k) {
          const std::int64_t z = place(2, k);
          if (z >= 0 && z < wide[2])
            visit((x * wide[1] + y) * wide[2] + z, (i * window[1].size + j) * window[2].size + k);
        }
      }
    }
  }

  template <class Visit>
  void for_each_narrow(Visit visit) const {
    std::int64_t at[kSpatialAxes] = {}, offset = 0;
    for (at[0] = 0; at[0] < narrow[0]; ++at[0])
      for (at[1] = 0; at[1] < narrow[1]; ++at[1])
        for (at[2] = 0; at[2] < narrow[2]; ++at[2]) visit(at, offset++);
  }
};

void set_spatial(std::int64_t (&sizes)[kSpatialAxes], const Dims& dims) {
  for (std::size_t axis = 2; axis < dims.size(); ++axis) sizes[kSpatialAxes - dims.size() + axis] = dims[axis];
}

void set_window(Sliding& sliding, const Window& window) {
  for (std::size_t i = 0; i < window.axes.size(); ++i)
    sliding.window[kSpatialAxes - window.axes.size() + i] = window.axes[i];
}

template <class T>
using ProductSum = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;

template <class T>
T stored_sum(ProductSum<T> sum) {
  if constexpr (std::is_integral_v<T> || std::is_same_v<T, double>) return static_cast<T>(sum);
  else return T(static_cast<float>(sum));
}

template <class T>
void convolve(const Sliding& s, std::span<void* const> arrays) {
  const auto *x = static_cast<const T*>(arrays[0]), *w = static_cast<const T*>(arrays[1]);
  const auto* bias = arrays.size() > 3 ? static_cast<const T*>(arrays[2]) : nullptr;
  auto* y = static_cast<T*>(arrays.back());
  for (std::int64_t line = 0; line < s.batch * s.groups * s.narrow_channels; ++line) {
    const std::int64_t channel = line % (s.groups * s.narrow_channels), group = channel / s.narrow_channels;
    const T* const source =
        x + (line / (s.groups * s.narrow_channels) * s.groups + group) * s.wide_channels * s.wide_plane();
    const T* const weights = w + channel * s.wide_channels * s.taps();
    T* const target = y + line * s.narrow_plane();
    s.for_each_narrow([&](const std::int64_t(&at)[kSpatialAxes], std::int64_t offset) {
      ProductSum<T> sum = bias != nullptr ? static_cast<ProductSum<T>>(bias[channel]) : 0;
      for (std::int64_t i = 0; i < s.wide_channels; ++i)
        s.for_each_tap(at, [&](std::int64_t place, std::int64_t tap) {
          sum += static_cast<ProductSum<T>>(source[i * s.wide_plane() + place]) *
                 static_cast<ProductSum<T>>(weights[i * s.taps() + tap]);
        });
      target[offset] = stored_sum<T>(sum);
    });
  }
}

template <class T>
void convolve_transposed(const Sliding& s, std::span<void* const> arrays) {
  const auto *x = static_cast<const T*>(arrays[0]), *w = static_cast<const T*>(arrays[1]);
  const auto* bias = arrays.size() > 3 ? static_cast<const T*>(arrays[2]) : nullptr;
  auto* y = static_cast<T*>(arrays.back());
  for (std::int64_t line = 0; line < s.batch * s.groups * s.wide_channels; ++line) {
    const std::int64_t channel = line % (s.groups * s.wide_channels), group = channel / s.wide_channels;
    const std::int64_t sample = line / (s.groups * s.wide_channels);
    T* const target = y + line * s.wide_plane();
    std::fill_n(target, s.wide_plane(), bias != nullptr ? bias[channel] : T(0));
    for (std::int64_t i = 0; i < s.narrow_channels; ++i) {
      const std::int64_t from = group * s.narrow_channels + i;
      const T* const source = x + (sample * s.groups * s.narrow_channels + from) * s.narrow_plane();
      const T* const weights = w + (from * s.wide_channels + channel % s.wide_channels) * s.taps();
      s.for_each_narrow([&](const std::int64_t(&at)[kSpatialAxes], std::int64_t offset) {
        s.for_each_tap(at, [&](std::int64_t place, std::int64_t tap) {
          target[place] = static_cast<T>(target[place] + source[offset] * weights[tap]);
        });
      });
    }
  }
}

/// In one type, of which products are taken in wider ones.
bool has_plain_products(const DirectNode& node, std::size_t rank) {
  if (rank < 3 || rank > 2 + kSpatialAxes || element_count(node.output_dims(0)) == 0) return false;
  for (std::size_t i = 0; i < node.input_count(); ++i)
    if (node.has_input(i) && node.element(i) != node.element(0)) return false;
  return has_loop_type(node.element(0)) && node.element(0) != ElementType::boolean;
}

Dims spatial_part(const Dims& dims) { return Dims(std::span(dims.data() + 2, dims.size() - 2)); }

}  // namespace

bool lower_plain_convolution(Lowering& lowering, NodeId id) {
  DirectNode node(lowering, id);
  const Dims x = node.dims(0), weights = node.dims(1), y = node.output_dims(0);
  if (!has_plain_products(node, x.size())) return false;
  Sliding sliding{.batch = x[0], .groups = node.integer("group"), .wide_channels = weights[1]};
  sliding.narrow_channels = weights[0] / sliding.groups;
  set_spatial(sliding.wide, x);
  set_spatial(sliding.narrow, y);
  const Dims sizes = spatial_part(weights), spatial = spatial_part(x);
  set_window(sliding, read_window(node, sizes).padded_for(spatial));
  node.lower(dispatch_number(node.element(0), [&](auto sample) -> DirectStep::Code {
    return [sliding](std::span<void* const> arrays, std::byte*) { convolve<decltype(sample)>(sliding, arrays); };
  }));
  return true;
}

bool lower_plain_transposed_convolution(Lowering& lowering, NodeId id) {
  DirectNode node(lowering, id);
  const Dims x = node.dims(0), weights = node.dims(1), y = node.output_dims(0);
  if (!has_plain_products(node, x.size()) || bit_width(node.element(0)) < 32) return false;
  Sliding sliding{.batch = x[0], .groups = node.integer("group"), .wide_channels = weights[1]};
  sliding.narrow_channels = x[1] / sliding.groups;
  set_spatial(sliding.wide, y);
  set_spatial(sliding.narrow, x);
  Shape shape;
  for (const std::int64_t dim : x) shape.push_back(dim);
  set_window(sliding, spread_of(node, shape, spatial_part(weights)).window);
  node.lower(dispatch_number(node.element(0), [&](auto sample) -> DirectStep::Code {
    return [sliding](std::span<void* const> arrays, std::byte*) {
      if constexpr (sizeof(sample) >= 4) convolve_transposed<decltype(sample)>(sliding, arrays);
    };
  }));
  return true;
}

}  // namespace hone::native
