#include "graph/ops/axes.h"
#include "graph/ops/copy.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"

// Operators that repeat elements: Tile and Expand.

namespace hone {
namespace {

constexpr std::size_t kMaxRepeated = 1024;

/// The target of Expand as far as known; its length alone still tells the rank.
std::optional<Shape> expand_target(const InferContext& context) {
  if (const auto contents = context.contents(1)) return Shape(std::span<const Dim>(*contents));
  const Shape* length = context.shape(1);
  const bool ranked = length != nullptr && length->size() == 1 && (*length)[0].known();
  if (!ranked || (*length)[0].value() < 0 || (*length)[0].value() > 64) return std::nullopt;
  return Shape(static_cast<std::size_t>((*length)[0].value()));
}

void check_target(const NodeReader& node, const Shape& target) {
  for (const Dim d : target)
    if (d.known() && d.value() < 0) node.fail("the shape has a dimension {}", d.value());
}

void infer_expand(InferContext& context) {
  const std::optional<Shape> target = expand_target(context);
  const Shape* input = context.shape(0);
  if (!target || input == nullptr) return context.output(0, context.element(0));
  check_target(context, *target);
  const Shape shape = broadcast(context, *input, *target);
  context.output(0, context.element(0), shape);
  const std::optional<Contents> contents = context.contents(0);
  const Dim count = element_count(shape);
  if (contents && contents->size() == 1 && count.known() && count.value() <= static_cast<std::int64_t>(kMaxRepeated))
    context.output_contents(0, Contents(static_cast<std::size_t>(count.value()), (*contents)[0]));
}

void evaluate_expand(EvaluateContext& context) {
  const Tensor& input = context.tensor(0);
  const std::vector<std::int64_t> target = context.tensor(1).integers();
  for (const std::int64_t d : target)
    if (d < 0) context.fail("the shape has a dimension {}", d);
  const Dims dims = broadcast(context, input.dims(), Dims(std::span<const std::int64_t>(target)));
  context.output(0, strided_copy(input, dims, {0, broadcast_strides(input.dims(), dims)}));
}

/// How often each axis is repeated: before opset 6 two scalars named one axis and its count.
std::optional<Contents> repeats(const InferContext& context, std::size_t rank) {
  if (context.version() >= 6) return context.contents(1);
  const auto count = context.contents(1);
  const auto axis = context.known_integers(2);
  if (!count || count->size() != 1 || !axis || axis->size() != 1) return std::nullopt;
  Contents all(rank, 1);
  all[normalize_axis(context, (*axis)[0], rank)] = (*count)[0];
  return all;
}

void infer_tile(InferContext& context) {
  const Shape* input = context.shape(0);
  if (input == nullptr) return context.output(0, context.element(0));
  const std::optional<Contents> counts = repeats(context, input->size());
  if (!counts) return context.output(0, context.element(0), Shape(input->size()));
  if (counts->size() != input->size()) context.fail("{} repeats for rank {}", counts->size(), input->size());
  Shape shape = *input;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if ((*counts)[i].known() && (*counts)[i].value() < 0)
      context.fail("axis {} is repeated {} times", i, (*counts)[i].value());
    shape[i] = shape[i] * (*counts)[i];
  }
  context.output(0, context.element(0), shape);
  const std::optional<Contents> contents = context.contents(0);
  if (!contents || shape.size() != 1 || !shape[0].known() || shape[0].value() > static_cast<std::int64_t>(kMaxRepeated))
    return;
  Contents repeated;
  while (static_cast<std::int64_t>(repeated.size()) < shape[0].value() && !contents->empty())
    repeated.insert(repeated.end(), contents->begin(), contents->end());
  context.output_contents(0, std::move(repeated));
}

void evaluate_tile(EvaluateContext& context) {
  const Tensor& input = context.tensor(0);
  std::vector<std::int64_t> counts(input.rank(), 1);
  if (context.version() >= 6) {
    counts = context.tensor(1).integers();
  } else {
    if (context.tensor(1).count() != 1 || context.tensor(2).count() != 1)
      context.fail("tiles and axis are not single numbers");
    counts[normalize_axis(context, context.tensor(2).integer_at(0), input.rank())] = context.tensor(1).integer_at(0);
  }
  if (counts.size() != input.rank()) context.fail("{} repeats for rank {}", counts.size(), input.rank());
  // The input as [d0, 1, d1, 1, ...] seen as [r0, d0, r1, d1, ...] with nothing between repeats.
  const Dims strides = strides_of(input.dims());
  Dims split, joined;
  BlockPlace source;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 0) context.fail("axis {} is repeated {} times", i, counts[i]);
    split.push_back(counts[i]);
    split.push_back(input.dim(i));
    source.strides.push_back(0);
    source.strides.push_back(strides[i]);
    joined.push_back(element_count(Dims{counts[i], input.dim(i)}));
  }
  context.output(0, strided_copy(input, split, source).reshaped(joined));
}

// clang-format off
const OpFamily repeat_family({
    {.name = "Expand", .versions = {8, 13}, .inputs = {2, 2},
     .kind = OpKind::movement, .degree = Degree::copy, .infer = infer_expand, .evaluate = evaluate_expand},
    {.name = "Tile", .versions = {1, 6, 13}, .inputs = {2, 3},
     .kind = OpKind::movement, .degree = Degree::copy, .infer = infer_tile, .evaluate = evaluate_tile},
});
// clang-format on

}  // namespace
}  // namespace hone
