#include <algorithm>

#include "graph/loops/operator_loop.h"
#include "graph/ops/axes.h"

// Operators that copy elements to other places, each by a stride an axis.

namespace hone {
namespace {

using MovementLoop = std::optional<OperatorLoop>;

/// A copy of the first input, whose elements lie as `read` says.
OperatorLoop copy_loop(const LoopContext& context, std::size_t output, LoopRead read) {
  OperatorLoop loop{.space = context.output_dims(output), .inputs = {0}};
  loop.writes = strides_of(loop.space);
  loop.reads = {std::move(read)};
  return loop;
}

/// The same bytes under another shape.
MovementLoop describe_view(const LoopContext& context, std::size_t output) {
  return copy_loop(context, output, {.strides = strides_of(context.output_dims(output))});
}

MovementLoop describe_transpose(const LoopContext& context, std::size_t output) {
  const Dims strides = strides_of(context.dims(0));
  std::vector<std::int64_t> perm = context.integers("perm");
  if (perm.empty())
    for (std::size_t axis = strides.size(); axis-- > 0;) perm.push_back(static_cast<std::int64_t>(axis));
  LoopRead read;
  for (const std::int64_t axis : perm) read.strides.push_back(strides[normalize_axis(context, axis, strides.size())]);
  return copy_loop(context, output, std::move(read));
}

MovementLoop describe_expand(const LoopContext& context, std::size_t output) {
  return copy_loop(context, output, {.strides = broadcast_strides(context.dims(0), context.output_dims(output))});
}

/// Starts, axes and steps of a slice that are known; ends are told by the size of what comes out.
struct KnownSlice {
  std::vector<std::int64_t> starts, axes, steps;
};

std::optional<KnownSlice> known_slice(const LoopContext& context) {
  KnownSlice slice;
  const std::size_t rank = context.dims(0).size();
  if (context.version() < 10) {
    slice.starts = context.integers("starts");
    slice.axes = context.integers("axes");
  } else {
    const auto starts = context.integers_input(1);
    if (!starts) return std::nullopt;
    slice.starts = *starts;
    for (const auto& [input, list] :
         {std::pair(std::size_t{3}, &slice.axes), std::pair(std::size_t{4}, &slice.steps)}) {
      if (!context.has_input(input)) continue;
      const auto given = context.integers_input(input);
      if (!given) return std::nullopt;
      *list = *given;
    }
  }
  if (slice.axes.empty())
    for (std::size_t i = 0; i < slice.starts.size(); ++i) slice.axes.push_back(static_cast<std::int64_t>(i));
  slice.steps.resize(slice.starts.size(), 1);
  for (std::int64_t& axis : slice.axes) axis = static_cast<std::int64_t>(normalize_axis(context, axis, rank));
  return slice;
}

MovementLoop describe_slice(const LoopContext& context, std::size_t output) {
  const auto slice = known_slice(context);
  if (!slice) return std::nullopt;
  const Dims dims = context.dims(0);
  LoopRead read{.strides = strides_of(dims)};
  for (std::size_t i = 0; i < slice->starts.size(); ++i) {
    const auto axis = static_cast<std::size_t>(slice->axes[i]);
    std::int64_t start = slice->starts[i];
    if (start < 0) start += dims[axis];
    start = std::clamp<std::int64_t>(start, 0, slice->steps[i] < 0 ? dims[axis] - 1 : dims[axis]);
    read.offset += start * read.strides[axis];
    read.strides[axis] *= slice->steps[i];
  }
  return copy_loop(context, output, std::move(read));
}

MovementLoop describe_split(const LoopContext& context, std::size_t output) {
  const Dims dims = context.dims(0);
  const std::size_t axis = normalize_axis(context, context.integer("axis"), dims.size());
  LoopRead read{.strides = strides_of(dims)};
  for (std::size_t before = 0; before < output; ++before) {
    if (!context.wants_output(before)) return std::nullopt;
    read.offset += context.output_dims(before)[axis] * read.strides[axis];
  }
  return copy_loop(context, output, std::move(read));
}

/// One constant index: a slice without its axis.
MovementLoop describe_gather(const LoopContext& context, std::size_t output) {
  const auto index = context.number_input(1);
  if (!index) return std::nullopt;
  const Dims dims = context.dims(0), strides = strides_of(dims);
  const std::size_t axis = normalize_axis(context, context.integer("axis"), dims.size());
  auto position = static_cast<std::int64_t>(*index);
  if (position < 0) position += dims[axis];
  if (position < 0 || position >= dims[axis]) return std::nullopt;
  LoopRead read{.offset = position * strides[axis]};
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i != axis) read.strides.push_back(strides[i]);
    else
      for (std::size_t k = 0; k < context.dims(1).size(); ++k) read.strides.push_back(0);
  }
  return copy_loop(context, output, std::move(read));
}

const LoopFamily movement_loops({
    {"Identity", describe_view},
    {"Reshape", describe_view},
    {"Squeeze", describe_view},
    {"Unsqueeze", describe_view},
    {"Flatten", describe_view},
    {"Transpose", describe_transpose},
    {"Expand", describe_expand},
    {"Slice", describe_slice},
    {"Split", describe_split},
    {"Gather", describe_gather},
});

}  // namespace
}  // namespace hone
