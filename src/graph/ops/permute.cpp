#include <numeric>

#include "graph/ops/axes.h"
#include "graph/ops/copy.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"

// Operators that put the elements of one tensor in another order, or clear some of them.

namespace hone {
namespace {

/// Order of the axes; the reverse when the node does not say.
std::vector<std::size_t> permutation_of(const NodeReader& node, std::size_t rank) {
  std::vector<std::size_t> permutation(rank);
  if (!node.has_attribute("perm")) {
    std::iota(permutation.rbegin(), permutation.rend(), std::size_t{0});
    return permutation;
  }
  const std::vector<std::int64_t> given = node.integers("perm");
  if (given.size() != rank) node.fail("perm has {} axes, the input {}", given.size(), rank);
  normalize_axes(node, given, rank);  // all in range, none twice
  for (std::size_t i = 0; i < rank; ++i) permutation[i] = normalize_axis(node, given[i], rank);
  return permutation;
}

void infer_transpose(InferContext& context) {
  const Shape* input = context.shape(0);
  if (input == nullptr) {
    if (!context.has_attribute("perm")) return context.output(0, context.element(0));
    return context.output(0, context.element(0), Shape(context.integers("perm").size()));
  }
  Shape shape;
  for (const std::size_t axis : permutation_of(context, input->size())) shape.push_back((*input)[axis]);
  context.output(0, context.element(0), shape);
  if (auto contents = context.contents(0); contents && shape.size() <= 1) context.output_contents(0, *contents);
}

void evaluate_transpose(EvaluateContext& context) {
  const Tensor& input = context.tensor(0);
  context.output(0, permuted(input, permutation_of(context, input.rank())));
}

std::int64_t block_size(const NodeReader& node) {
  const std::int64_t size = node.integer("blocksize");
  if (size < 1 || size > (std::int64_t{1} << 30)) node.fail("blocksize is {}", size);
  return size;
}

Dim divided(const NodeReader& node, Dim dim, std::int64_t divisor) {
  if (dim.known() && dim.value() % divisor != 0)
    node.fail("a dimension of {} does not split into {}", dim.value(), divisor);
  return floor_div(dim, divisor);
}

/// [batch, channels, height, width] of the input.
Shape image_shape(const NodeReader& node, const Shape& input) {
  if (input.size() != 4) node.fail("the input has rank {}, not 4", input.size());
  return input;
}

Shape depth_to_space_shape(const NodeReader& node, const Shape& input) {
  Shape shape = image_shape(node, input);
  const std::int64_t size = block_size(node);
  return {shape[0], divided(node, shape[1], size * size), shape[2] * size, shape[3] * size};
}

Shape space_to_depth_shape(const NodeReader& node, const Shape& input) {
  Shape shape = image_shape(node, input);
  const std::int64_t size = block_size(node);
  return {shape[0], shape[1] * (size * size), divided(node, shape[2], size), divided(node, shape[3], size)};
}

template <auto shape_of>
void infer_blocks(InferContext& context) {
  const Shape* input = context.shape(0);
  context.output(0, context.element(0), input != nullptr ? shape_of(context, *input) : Shape(4));
}

void evaluate_depth_to_space(EvaluateContext& context) {
  const Tensor& input = context.tensor(0);
  const Dims dims = static_dims(depth_to_space_shape(context, input.shape()));
  const std::int64_t size = block_size(context);
  const Dims& from = input.dims();
  const bool column_first = context.version() >= 11 && context.text("mode") == "CRD";
  if (context.version() >= 11 && !column_first && context.text("mode") != "DCR")
    context.fail("unknown mode '{}'", context.text("mode"));
  const Tensor split = column_first ? input.reshaped({from[0], dims[1], size, size, from[2], from[3]})
                                    : input.reshaped({from[0], size, size, dims[1], from[2], from[3]});
  const std::vector<std::size_t> order =
      column_first ? std::vector<std::size_t>{0, 1, 4, 2, 5, 3} : std::vector<std::size_t>{0, 3, 4, 1, 5, 2};
  context.output(0, permuted(split, order).reshaped(dims));
}

void evaluate_space_to_depth(EvaluateContext& context) {
  const Tensor& input = context.tensor(0);
  const Dims dims = static_dims(space_to_depth_shape(context, input.shape()));
  const std::int64_t size = block_size(context);
  const Tensor split = input.reshaped({dims[0], input.dim(1), dims[2], size, dims[3], size});
  context.output(0, permuted(split, std::vector<std::size_t>{0, 3, 5, 1, 2, 4}).reshaped(dims));
}

void evaluate_reverse_sequence(EvaluateContext& context) {
  const Tensor& input = context.tensor(0);
  const std::size_t batch_axis = normalize_axis(context, context.integer("batch_axis"), input.rank());
  const std::size_t time_axis = normalize_axis(context, context.integer("time_axis"), input.rank());
  if (batch_axis == time_axis) context.fail("batch_axis and time_axis are the same");
  const std::vector<std::int64_t> lengths = context.tensor(1).integers();
  if (static_cast<std::int64_t>(lengths.size()) != input.dim(batch_axis))
    context.fail("{} lengths for a batch of {}", lengths.size(), input.dim(batch_axis));
  for (const std::int64_t length : lengths)
    if (length < 0 || length > input.dim(time_axis))
      context.fail("a length of {} for {} time steps", length, input.dim(time_axis));
  const std::int64_t stride = strides_of(input.dims())[time_axis];
  std::vector<std::int64_t> sources(input.count());
  for (StridedWalk walk(input.dims(), {}); !walk.done(); walk.next()) {
    const std::int64_t length = lengths[static_cast<std::size_t>(walk.index(batch_axis))], time = walk.index(time_axis);
    const std::int64_t moved = time < length ? length - 1 - 2 * time : 0;
    sources[walk.position()] = static_cast<std::int64_t>(walk.position()) + moved * stride;
  }
  context.output(0, pick_runs(input, input.dims(), sources));
}

void infer_trilu(InferContext& context) {
  if (context.shape(0) != nullptr && context.shape(0)->size() < 2) context.fail("the input has no matrices");
  infer_like_first(context);
}

void evaluate_trilu(EvaluateContext& context) {
  const Tensor& input = context.tensor(0);
  if (input.rank() < 2) context.fail("the input has no matrices");
  const bool upper = context.integer("upper") != 0;
  std::int64_t diagonal = 0;
  if (context.has_input(1)) {
    if (context.tensor(1).count() != 1) context.fail("k is not a single number");
    diagonal = context.tensor(1).integer_at(0);
  }
  const std::size_t row = input.rank() - 2, column = input.rank() - 1;
  std::vector<std::int64_t> sources(input.count());
  for (StridedWalk walk(input.dims(), {}); !walk.done(); walk.next()) {
    const std::int64_t distance = walk.index(column) - walk.index(row);
    const bool kept = upper ? distance >= diagonal : distance <= diagonal;
    sources[walk.position()] = kept ? static_cast<std::int64_t>(walk.position()) : -1;
  }
  context.output(0, pick_runs(input, input.dims(), sources));
}

// clang-format off
const OpFamily permute_family({
    {.name = "Transpose", .versions = {1, 13, 21, 23, 24}, .attributes = {integers("perm")},
     .kind = OpKind::movement, .degree = Degree::copy, .infer = infer_transpose, .evaluate = evaluate_transpose},
    {.name = "DepthToSpace", .versions = {1, 11, 13},
     .attributes = {integer("blocksize"), text("mode", "DCR").since(11)},
     .kind = OpKind::movement, .degree = Degree::copy,
     .infer = infer_blocks<depth_to_space_shape>, .evaluate = evaluate_depth_to_space},
    {.name = "SpaceToDepth", .versions = {1, 13}, .attributes = {integer("blocksize")},
     .kind = OpKind::movement, .degree = Degree::copy,
     .infer = infer_blocks<space_to_depth_shape>, .evaluate = evaluate_space_to_depth},
    {.name = "ReverseSequence", .versions = {10}, .inputs = {2, 2},
     .attributes = {integer("batch_axis", 1), integer("time_axis", 0)},
     .kind = OpKind::movement, .infer = infer_like_first, .evaluate = evaluate_reverse_sequence},
    {.name = "Trilu", .versions = {14}, .inputs = {1, 2}, .attributes = {integer("upper", 1)},
     .kind = OpKind::movement, .infer = infer_trilu, .evaluate = evaluate_trilu},
});
// clang-format on

}  // namespace
}  // namespace hone
