#include "run/native/plain_pooling.h"

#include <algorithm>
#include <limits>

#include "graph/ops/axes.h"

namespace hone::native {
namespace {

/// A window over planes of a tensor, for every position of it in turn.
struct PoolingWindow {
  Dims spatial, result, strides;  // of a plane; strides of the input's, in elements
  std::vector<WindowAxis> axes;
  std::int64_t planes = 1;
  bool column_major = false;    // of the indices that MaxPool gives
  bool counts_padding = false;  // AveragePool divides by what the window covers with its padding

  /// Calls `visit(offset)` for the elements that the window covers at a position of the result.
  template <class Visit>
  void for_each(std::int64_t position, Visit visit) const {
    visit_axis(0, position, element_count(result), 0, visit);
  }

  /// Elements that the window covers with the padding at the ends.
  std::int64_t covered(std::int64_t position) const {
    std::int64_t count = 1, left = element_count(result);
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      left /= result[axis];
      const WindowAxis& along = axes[axis];
      const std::int64_t start = position / left % result[axis] * along.stride - along.pad_begin;
      std::int64_t here = 0;
      for (std::int64_t tap = 0; tap < along.size; ++tap)
        here += start + tap * along.dilation < spatial[axis] + along.pad_end ? 1 : 0;
      count *= here;
    }
    return count;
  }

  std::int64_t index_of(std::int64_t offset) const {
    if (!column_major) return offset;
    std::int64_t index = 0, step = 1;
    for (std::size_t axis = 0; axis < spatial.size(); ++axis) {
      index += offset / strides[axis] % spatial[axis] * step;
      step *= spatial[axis];
    }
    return index;
  }

 private:
  template <class Visit>
  void visit_axis(std::size_t axis, std::int64_t position, std::int64_t left, std::int64_t offset, Visit& visit) const {
    if (axis == axes.size()) return visit(offset);
    left /= result[axis];
    const WindowAxis& along = axes[axis];
    const std::int64_t start = position / left % result[axis] * along.stride - along.pad_begin;
    for (std::int64_t tap = 0; tap < along.size; ++tap) {
      const std::int64_t at = start + tap * along.dilation;
      if (at >= 0 && at < spatial[axis]) visit_axis(axis + 1, position, left, offset + at * strides[axis], visit);
    }
  }
};

template <class T>
void pool_largest(const PoolingWindow& window, const T* x, T* y, std::int64_t* indices) {
  const std::int64_t from = element_count(window.spatial), to = element_count(window.result);
  for (std::int64_t at = 0; at < window.planes * to; ++at) {
    const T* const plane = x + at / to * from;
    std::int64_t best = -1;
    window.for_each(at % to, [&](std::int64_t offset) {
      const bool odd = plane[offset] != plane[offset];
      if (best < 0 || plane[best] < plane[offset] || (odd && plane[best] == plane[best])) best = offset;
    });
    y[at] = best < 0 ? std::numeric_limits<T>::lowest() : plane[best];
    if (indices != nullptr) indices[at] = best < 0 ? 0 : at / to * from + window.index_of(best);
  }
}

template <class T>
void pool_mean(const PoolingWindow& window, const T* x, T* y) {
  const std::int64_t from = element_count(window.spatial), to = element_count(window.result);
  for (std::int64_t at = 0; at < window.planes * to; ++at) {
    double sum = 0;
    std::int64_t count = 0;
    window.for_each(at % to, [&](std::int64_t offset) {
      sum += static_cast<double>(x[at / to * from + offset]);
      ++count;
    });
    if (window.counts_padding) count = window.covered(at % to);
    y[at] = static_cast<T>(count > 0 ? sum / static_cast<double>(count) : 0);
  }
}

std::optional<PoolingWindow> window_of(const DirectNode& node) {
  const auto sizes = kernel_shape(node);
  const Dims x = node.dims(0), y = node.output_dims(0);
  if (!sizes || x.size() < 3 || element_count(y) == 0) return std::nullopt;
  PoolingWindow window{.planes = x[0] * x[1]};
  window.spatial = Dims(std::span(x.data() + 2, x.size() - 2));
  window.result = Dims(std::span(y.data() + 2, y.size() - 2));
  window.strides = strides_of(window.spatial);
  window.axes = read_window(node, *sizes).padded_for(window.spatial).axes;
  return window;
}

}  // namespace

bool lower_plain_pooling(Lowering& lowering, NodeId id) {
  DirectNode node(lowering, id);
  auto window = window_of(node);
  const ElementType element = node.element(0);
  const bool plain = has_loop_type(element) && element != ElementType::boolean && element != ElementType::float16 &&
                     element != ElementType::bfloat16;
  if (!window || !plain) return false;
  const bool largest = node.entry().name == "MaxPool";
  if (!largest && !is_floating(element)) return false;
  if (largest) window->column_major = node.version() >= 8 && node.integer("storage_order") != 0;
  else window->counts_padding = node.version() >= 7 && node.integer("count_include_pad") != 0;
  node.lower(dispatch_number(element, [&](auto sample) -> DirectStep::Code {
    using T = decltype(sample);
    return [window = *window, largest](std::span<void* const> arrays, std::byte*) {
      if constexpr (std::is_arithmetic_v<T>) {
        const auto* x = static_cast<const T*>(arrays[0]);
        auto* y = static_cast<T*>(arrays[1]);
        if (!largest) return pool_mean(window, x, y);
        pool_largest(window, x, y, arrays.size() > 2 ? static_cast<std::int64_t*>(arrays[2]) : nullptr);
      }
    };
  }));
  return true;
}

}  // namespace hone::native
