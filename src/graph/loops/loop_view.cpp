#include "graph/loops/loop_view.h"

#include <algorithm>
#include <cstdlib>

#include "graph/ops/axes.h"

namespace hone {
namespace {

/// The axis whose stride is the largest that divides `step`.
std::optional<std::size_t> axis_of_step(std::int64_t step, const Dims& dims, const Dims& strides) {
  std::optional<std::size_t> found;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] <= 1 || strides[axis] == 0 || step % strides[axis] != 0) continue;
    if (!found || strides[axis] > strides[*found]) found = axis;
  }
  return found;
}

/// Index by axis of the element at `offset`.
std::optional<std::vector<std::int64_t>> place_of(std::int64_t offset, const Dims& dims, const Dims& strides) {
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < dims.size(); ++axis)
    if (dims[axis] > 1 && strides[axis] > 0) axes.push_back(axis);
  std::ranges::sort(axes, [&](std::size_t a, std::size_t b) { return strides[a] > strides[b]; });
  std::vector<std::int64_t> place(dims.size(), 0);
  for (const std::size_t axis : axes) {
    place[axis] = offset / strides[axis];
    offset %= strides[axis];
    if (place[axis] >= dims[axis]) return std::nullopt;
  }
  return offset == 0 ? std::optional(place) : std::nullopt;
}

/// Whether no point leaves the tensor.
bool stays_inside(const AxisAccess& access, const Dims& extents, const Dims& dims) {
  std::vector<std::int64_t> low = access.first, high = access.first;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (!access.steps[i]) continue;
    const std::int64_t reach = access.steps[i]->step * (extents[i] - 1);
    (reach < 0 ? low : high)[access.steps[i]->axis] += reach;
  }
  for (std::size_t axis = 0; axis < dims.size(); ++axis)
    if (low[axis] < 0 || high[axis] >= std::max<std::int64_t>(dims[axis], 1)) return false;
  return true;
}

/// The same elements with neighbouring axes joined wherever both are gone through in one stride. Channels in blocks stay
/// axis 1.
LoopView joined_view(const LoopView& view) {
  LoopView joined = view;
  const std::size_t first = view.has_blocks ? 2 : 0;
  for (std::size_t axis = view.dims.size(); axis-- > first + 1;) {
    if (joined.strides[axis - 1] != joined.strides[axis] * joined.dims[axis]) continue;
    const auto drop = [&](Dims& dims) {
      Dims kept;
      for (std::size_t i = 0; i < dims.size(); ++i)
        if (i != axis) kept.push_back(dims[i]);
      dims = kept;
    };
    joined.dims[axis - 1] *= joined.dims[axis];
    joined.strides[axis - 1] = joined.strides[axis];
    drop(joined.dims);
    drop(joined.strides);
  }
  return joined;
}

}  // namespace

LoopView dense_view(ElementType element, const Dims& dims) {
  return {.element = element, .dims = dims, .strides = strides_of(dims)};
}

LoopView channels_last_view(ElementType element, const Dims& dims) {
  LoopView view = dense_view(element, dims);
  std::int64_t stride = dims[1];
  for (std::size_t axis = dims.size(); axis-- > 2;) {
    view.strides[axis] = stride;
    stride *= dims[axis];
  }
  view.strides[1] = 1;
  view.strides[0] = stride;
  return view;
}

LoopView blocked_view(ElementType element, const Dims& dims) {
  LoopView view{.element = element, .dims = dims, .strides = strides_of(dims), .has_blocks = true};
  std::int64_t stride = LoopView::kBlock;
  for (std::size_t axis = dims.size(); axis-- > 1;) {
    view.strides[axis] = stride;
    stride *= axis == 1 ? (dims[1] + LoopView::kBlock - 1) / LoopView::kBlock : dims[axis];
  }
  view.strides[0] = stride;
  return view;
}

std::int64_t span_of(const LoopView& view) {
  std::int64_t last = 0;
  for (std::size_t axis = 0; axis < view.dims.size(); ++axis) {
    if (view.dims[axis] == 0) return 0;
    const bool in_blocks = view.has_blocks && axis == 1;
    const std::int64_t steps = in_blocks ? (view.dims[1] - 1) / LoopView::kBlock : view.dims[axis] - 1;
    last += steps * view.strides[axis] + (in_blocks ? LoopView::kBlock - 1 : 0);
  }
  return last + 1;
}

bool is_dense(const LoopView& view) {
  if (view.has_blocks) return false;
  const Dims dense = strides_of(view.dims);
  for (std::size_t axis = 0; axis < dense.size(); ++axis)
    if (view.dims[axis] > 1 && view.strides[axis] != dense[axis]) return false;
  return true;
}

std::variant<std::monostate, AxisCut, AxisAccess> along_axes(const LoopRead& index, const Dims& extents,
                                                             const Dims& dims, const Dims& strides) {
  const auto first = place_of(index.offset, dims, strides);
  if (!first) return std::monostate();
  AxisAccess access{.first = *first, .steps = std::vector<std::optional<AxisStep>>(extents.size())};
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::int64_t stride = i < index.strides.size() ? index.strides[i] : 0;
    if (extents[i] <= 1 || stride == 0) continue;
    const auto axis = axis_of_step(stride, dims, strides);
    if (!axis) return std::monostate();
    const std::int64_t step = stride / strides[*axis], fitting = dims[*axis] / std::abs(step);
    if (extents[i] > fitting) {
      if (fitting <= 1 || dims[*axis] % std::abs(step) != 0 || extents[i] % fitting != 0) return std::monostate();
      return AxisCut{.axis = i, .inner = fitting};
    }
    access.steps[i] = AxisStep{.axis = *axis, .step = step};
  }
  if (!stays_inside(access, extents, dims)) return std::monostate();
  return access;
}

std::variant<std::monostate, AxisCut, LoopRead> in_array(const LoopView& given, const LoopRead& index,
                                                         const Dims& extents) {
  const LoopView view = joined_view(given);
  if (is_dense(view)) {
    LoopRead read{.offset = view.offset + index.offset, .strides = Dims(extents.size(), 0)};
    for (std::size_t i = 0; i < std::min(extents.size(), index.strides.size()); ++i)
      if (extents[i] != 1) read.strides[i] = index.strides[i];
    return read;
  }
  auto taken_apart = along_axes(index, extents, view.dims, strides_of(view.dims));
  if (const auto* cut = std::get_if<AxisCut>(&taken_apart)) return *cut;
  const auto* access = std::get_if<AxisAccess>(&taken_apart);
  if (access == nullptr) return std::monostate();
  LoopRead read{.offset = view.offset, .strides = Dims(extents.size(), 0)};
  for (std::size_t axis = 0; axis < view.dims.size(); ++axis) {
    const bool in_blocks = view.has_blocks && axis == 1;
    read.offset +=
        in_blocks ? access->first[axis] / LoopView::kBlock * view.strides[axis] + access->first[axis] % LoopView::kBlock
                  : access->first[axis] * view.strides[axis];
  }
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (!access->steps[i]) continue;
    const auto [axis, step] = *access->steps[i];
    if (!view.has_blocks || axis != 1) {
      read.strides[i] = step * view.strides[axis];
    } else if (step % LoopView::kBlock == 0) {
      read.strides[i] = step / LoopView::kBlock * view.strides[axis];
    } else if (step == 1 && extents[i] > LoopView::kBlock) {
      if (extents[i] % LoopView::kBlock != 0) return std::monostate();
      return AxisCut{.axis = i, .inner = LoopView::kBlock};
    } else if (step > 0 && access->first[axis] % LoopView::kBlock + step * (extents[i] - 1) < LoopView::kBlock) {
      read.strides[i] = step;
    } else {
      return std::monostate();
    }
  }
  return read;
}

std::optional<LoopView> moved_view(const LoopView& input, const OperatorLoop& loop) {
  if (loop.body || !loop.folded.empty() || input.has_blocks) return std::nullopt;
  auto found = in_array(input, loop.reads[0], loop.space);
  const auto* read = std::get_if<LoopRead>(&found);
  if (read == nullptr) return std::nullopt;
  return LoopView{.element = input.element, .dims = loop.space, .strides = read->strides, .offset = read->offset};
}

}  // namespace hone
