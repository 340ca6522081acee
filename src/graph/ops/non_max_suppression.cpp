#include <algorithm>
#include <limits>
#include <numeric>

#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"
#include "graph/ops/numbers.h"

// Choice of the best boxes among those that overlap.

namespace hone {
namespace {

void infer_suppression(InferContext& context) { context.output(0, ElementType::int64, {Dim(), 3}); }

/// A box by its edges.
struct Box {
  double top, left, bottom, right;

  double area() const { return (bottom - top) * (right - left); }
};

/// Boxes are given by two opposite corners in any order, or by centre and size.
Box box_of(const double* numbers, bool centered) {
  if (centered)
    return {numbers[1] - numbers[3] / 2, numbers[0] - numbers[2] / 2, numbers[1] + numbers[3] / 2,
            numbers[0] + numbers[2] / 2};
  return {std::min(numbers[0], numbers[2]), std::min(numbers[1], numbers[3]), std::max(numbers[0], numbers[2]),
          std::max(numbers[1], numbers[3])};
}

/// Area of the intersection over that of the union.
double overlap(const Box& a, const Box& b) {
  const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (height <= 0 || width <= 0) return 0;
  const double shared = height * width;
  return shared / (a.area() + b.area() - shared);
}

/// Limits a choice of boxes obeys.
struct Limits {
  std::int64_t most = 0;
  double greatest_overlap = 0;
  double least_score = -std::numeric_limits<double>::infinity();
};

/// Indices of the chosen boxes of one class, best first; equal scores go by index.
std::vector<std::size_t> chosen_boxes(std::span<const Box> boxes, std::span<const double> scores,
                                      const Limits& limits) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < boxes.size(); ++i)
    if (scores[i] > limits.least_score) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  std::vector<std::size_t> kept;
  for (const std::size_t candidate : order) {
    if (static_cast<std::int64_t>(kept.size()) >= limits.most) break;
    const bool free = std::ranges::none_of(
        kept, [&](std::size_t other) { return overlap(boxes[candidate], boxes[other]) > limits.greatest_overlap; });
    if (free) kept.push_back(candidate);
  }
  return kept;
}

Limits limits_of(const EvaluateContext& context) {
  Limits limits;
  for (std::size_t i = 2; i < 5; ++i)
    if (context.has_input(i) && context.tensor(i).count() != 1) context.fail("input {} is not a single number", i);
  if (context.has_input(2)) limits.most = context.tensor(2).integer_at(0);
  if (context.has_input(3)) limits.greatest_overlap = context.tensor(3).number_at(0);
  if (context.has_input(4)) limits.least_score = context.tensor(4).number_at(0);
  return limits;
}

void evaluate_suppression(EvaluateContext& context) {
  const Tensor &boxes = context.tensor(0), &scores = context.tensor(1);
  if (boxes.rank() != 3 || boxes.dim(2) != 4 || scores.rank() != 3 || scores.dim(0) != boxes.dim(0) ||
      scores.dim(2) != boxes.dim(1))
    context.fail("boxes {} and scores {} do not fit", text_of(boxes.shape()), text_of(scores.shape()));
  const Limits limits = limits_of(context);
  const bool centered = context.integer("center_point_box") != 0;
  const Numbers<double> corners(boxes), likelihoods(scores);
  const auto count = static_cast<std::size_t>(boxes.dim(1));
  std::vector<std::int64_t> selected;
  for (std::int64_t image = 0; image < boxes.dim(0); ++image) {
    std::vector<Box> all;
    for (std::size_t i = 0; i < count; ++i)
      all.push_back(box_of(corners.data() + (static_cast<std::size_t>(image) * count + i) * 4, centered));
    for (std::int64_t label = 0; label < scores.dim(1); ++label) {
      const auto start = static_cast<std::size_t>(image * scores.dim(1) + label) * count;
      for (const std::size_t box : chosen_boxes(all, likelihoods.view().subspan(start, count), limits))
        selected.insert(selected.end(), {image, label, static_cast<std::int64_t>(box)});
    }
  }
  context.output(0, tensor_of(ElementType::int64, {static_cast<std::int64_t>(selected.size() / 3), 3}, selected));
}

/// Sorting, and about ten operations for each pair compared; most boxes are compared with few others.
double suppression_flops(const CostContext& context) { return 32 * context.input_elements(1); }

// clang-format off
const OpFamily non_max_suppression_family({
    {.name = "NonMaxSuppression", .versions = {10, 11}, .inputs = {2, 5}, .attributes = {integer("center_point_box",
                    0)},
     .kind = OpKind::opaque, .infer = infer_suppression, .evaluate = evaluate_suppression, .flops = suppression_flops},
});
// clang-format on

}  // namespace
}  // namespace hone
