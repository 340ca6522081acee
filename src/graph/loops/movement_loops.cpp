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

/// Every axis of the result is one of repetitions and one of what is repeated.
MovementLoop describe_tile(const LoopContext& context, std::size_t output) {
  const Dims dims = context.dims(0), from = strides_of(dims), to = strides_of(context.output_dims(output));
  OperatorLoop loop{.inputs = {0}};
  LoopRead read;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] == 0) return std::nullopt;
    for (const std::int64_t extent : {context.output_dims(output)[axis] / dims[axis], dims[axis]})
      loop.space.push_back(extent);
    for (const std::int64_t stride : {to[axis] * dims[axis], to[axis]}) loop.writes.push_back(stride);
    for (const std::int64_t stride : {std::int64_t{0}, from[axis]}) read.strides.push_back(stride);
  }
  loop.reads = {std::move(read)};
  return loop;
}

/// A copy of an input that is taken apart into `parts`, whose axes come in another order in the result.
OperatorLoop reordered_parts(const Dims& parts, std::initializer_list<std::size_t> order) {
  OperatorLoop loop{.inputs = {0}};
  const Dims strides = strides_of(parts);
  LoopRead read;
  for (const std::size_t axis : order) {
    loop.space.push_back(parts[axis]);
    read.strides.push_back(strides[axis]);
  }
  loop.writes = strides_of(loop.space);
  loop.reads = {std::move(read)};
  return loop;
}

MovementLoop describe_depth_to_space(const LoopContext& context, std::size_t output) {
  const Dims from = context.dims(0), to = context.output_dims(output);
  const std::int64_t size = context.integer("blocksize");
  if (context.version() >= 11 && context.text("mode") == "CRD")
    return reordered_parts({from[0], to[1], size, size, from[2], from[3]}, {0, 1, 4, 2, 5, 3});
  return reordered_parts({from[0], size, size, to[1], from[2], from[3]}, {0, 3, 4, 1, 5, 2});
}

MovementLoop describe_space_to_depth(const LoopContext& context, std::size_t output) {
  const Dims from = context.dims(0), to = context.output_dims(output);
  const std::int64_t size = context.integer("blocksize");
  return reordered_parts({from[0], from[1], to[2], size, to[3], size}, {0, 3, 5, 1, 2, 4});
}

/// Where nothing is drawn: the input, and that all of it is kept.
MovementLoop describe_dropout(const LoopContext& context, std::size_t output) {
  if (context.version() < 7 && context.integer("is_test") == 0) return std::nullopt;
  if (context.version() >= 12 && context.has_input(2) && context.number_input(2) != 0) return std::nullopt;
  auto loop = describe_view(context, 0);
  if (output == 1)
    loop->body = [type = loop_type_of(context.output_element(1))](LoopBody& body, std::span<const LoopValue>) {
      return body.constant(type, 1);
    };
  return loop;
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
    {"Tile", describe_tile},
    {"DepthToSpace", describe_depth_to_space},
    {"SpaceToDepth", describe_space_to_depth},
    {"Dropout", describe_dropout},
});

}  // namespace
}  // namespace hone
