#include <algorithm>
#include <cmath>
#include <numeric>

#include "graph/ops/axes.h"
#include "graph/ops/copy.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"

// Unique: the distinct elements, or the distinct slices along an axis.

namespace hone {
namespace {

void infer_unique(InferContext& context) {
  const Shape* input = context.shape(0);
  Dim count;
  if (!context.has_attribute("axis")) {
    if (input != nullptr) count = element_count(*input);
    context.output(0, context.element(0), Shape(1));
  } else if (input != nullptr) {
    Shape shape = *input;
    const std::size_t axis = normalize_axis(context, context.integer("axis"), shape.size());
    count = shape[axis];
    shape[axis] = Dim();
    context.output(0, context.element(0), shape);
  } else {
    context.output(0, context.element(0));
  }
  context.output(1, ElementType::int64, Shape(1));
  context.output(2, ElementType::int64, {count});
  context.output(3, ElementType::int64, Shape(1));
}

/// -1, 0 or 1 as one element sorts before, with or after another; NaN is equal to itself and sorts last.
template <class T>
int compare(const T& a, const T& b) {
  if constexpr (!std::is_same_v<T, std::string>) {
    const bool a_nan = std::isnan(static_cast<double>(a)), b_nan = std::isnan(static_cast<double>(b));
    if (a_nan || b_nan) return static_cast<int>(a_nan) - static_cast<int>(b_nan);
  }
  if (a < b) return -1;
  return b < a ? 1 : 0;
}

/// Which rows are equal: `group[i]` numbers the distinct row that row i is, in sorted order.
struct Grouping {
  std::vector<std::int64_t> group;
  std::vector<std::int64_t> first;   // the first row of each group
  std::vector<std::int64_t> counts;  // rows in each group
};

template <class T>
Grouping group_rows(std::span<const T> elements, std::size_t rows) {
  const std::size_t width = rows == 0 ? 0 : elements.size() / rows;
  const auto compare_rows = [&](std::int64_t a, std::int64_t b) {
    const T *x = elements.data() + static_cast<std::size_t>(a) * width,
            *y = elements.data() + static_cast<std::size_t>(b) * width;
    for (std::size_t i = 0; i < width; ++i)
      if (const int order = compare(x[i], y[i]); order != 0) return order;
    return 0;
  };
  std::vector<std::int64_t> order(rows);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return compare_rows(a, b) < 0; });
  Grouping grouping{.group = std::vector<std::int64_t>(rows), .first = {}, .counts = {}};
  for (const std::int64_t row : order) {
    if (grouping.first.empty() || compare_rows(grouping.first.back(), row) != 0) {
      grouping.first.push_back(row);
      grouping.counts.push_back(0);
    }
    ++grouping.counts.back();
    grouping.group[static_cast<std::size_t>(row)] = static_cast<std::int64_t>(grouping.first.size()) - 1;
  }
  return grouping;
}

/// The same groups, numbered by their first rows.
Grouping by_occurrence(const Grouping& sorted) {
  std::vector<std::size_t> order(sorted.first.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return sorted.first[a] < sorted.first[b]; });
  Grouping renumbered{.group = sorted.group, .first = {}, .counts = {}};
  std::vector<std::int64_t> number(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    number[order[i]] = static_cast<std::int64_t>(i);
    renumbered.first.push_back(sorted.first[order[i]]);
    renumbered.counts.push_back(sorted.counts[order[i]]);
  }
  for (std::int64_t& group : renumbered.group) group = number[static_cast<std::size_t>(group)];
  return renumbered;
}

void evaluate_unique(EvaluateContext& context) {
  const bool flat = !context.has_attribute("axis");
  const Tensor& given = context.tensor(0);
  const Tensor input = flat ? given.reshaped({static_cast<std::int64_t>(given.count())}) : given;
  const std::size_t axis = flat ? 0 : normalize_axis(context, context.integer("axis"), input.rank());
  std::vector<std::size_t> axis_first(input.rank());
  std::iota(axis_first.begin(), axis_first.end(), std::size_t{0});
  std::rotate(axis_first.begin(), axis_first.begin() + static_cast<std::ptrdiff_t>(axis),
              axis_first.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
  const Tensor rows = permuted(input, axis_first);
  const auto row_count = static_cast<std::size_t>(rows.dim(0));
  if (rows.count() == 0 && row_count > 0) context.fail("the slices have no elements to compare");
  Grouping grouping = rows.type() == ElementType::string
                          ? group_rows(rows.values<std::string>(), row_count)
                          : dispatch_number(rows.type(), [&](auto zero) {
                              return group_rows(rows.values<decltype(zero)>(), row_count);
                            });
  if (context.integer("sorted") == 0) grouping = by_occurrence(grouping);
  std::vector<std::vector<std::int64_t>> coordinates(input.rank());
  for (std::size_t i = 0; i < input.rank(); ++i) {
    if (i == axis) {
      coordinates[i] = grouping.first;
    } else {
      coordinates[i].resize(static_cast<std::size_t>(input.dim(i)));
      std::iota(coordinates[i].begin(), coordinates[i].end(), 0);
    }
  }
  context.output(0, pick_coordinates(input, coordinates));
  context.output(1, Tensor::vector(grouping.first));
  context.output(2, Tensor::vector(grouping.group));
  context.output(3, Tensor::vector(grouping.counts));
}

// clang-format off
const OpFamily unique_family({
    {.name = "Unique", .versions = {11}, .outputs = {1, 4}, .attributes = {integer("axis"), integer("sorted", 1)},
     .kind = OpKind::movement, .infer = infer_unique, .evaluate = evaluate_unique},
});
// clang-format on

}  // namespace
}  // namespace hone
