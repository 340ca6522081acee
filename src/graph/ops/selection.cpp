#include <algorithm>
#include <cmath>
#include <numeric>

#include "graph/ops/axes.h"
#include "graph/ops/copy.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"

// Operators that choose elements by their value, or mark those chosen.

namespace hone {
namespace {

template <class T>
bool is_not_a_number(const T& value) {
  if constexpr (std::is_arithmetic_v<T> || std::is_convertible_v<T, float>)
    return std::isnan(static_cast<double>(value));
  else return false;
}

/// A total order of elements: NaN comes after every number.
template <class T>
bool comes_before(const T& a, const T& b) {
  if (is_not_a_number(a) || is_not_a_number(b)) return !is_not_a_number(a);
  return a < b;
}

/// The lines of a tensor along one axis: element i of line (outer, inner) is at start(outer, inner) + i * step.
struct AxisLines {
  std::int64_t outer = 1;
  std::int64_t length = 1;
  std::int64_t step = 1;

  AxisLines(const Dims& dims, std::size_t axis) : length(dims[axis]) {
    for (std::size_t i = 0; i < axis; ++i) outer *= dims[i];
    for (std::size_t i = axis + 1; i < dims.size(); ++i) step *= dims[i];
  }
  std::int64_t start(std::int64_t row, std::int64_t column) const { return row * length * step + column; }
};

// TopK.

/// How many elements TopK keeps, as far as known: an attribute before opset 10, then an input.
Dim kept_count(const InferContext& context) {
  if (context.version() < 10) return context.integer("k");
  const auto contents = context.contents(1);
  return contents && contents->size() == 1 ? (*contents)[0] : Dim();
}

void check_count(const NodeReader& node, Dim count, Dim available) {
  if (!count.known()) return;
  if (count.value() < 0 || (available.known() && count.value() > available.value()))
    node.fail("k is {} of {}", count.text(), available.text());
}

void infer_top_k(InferContext& context) {
  const Shape* input = context.shape(0);
  Type values = Type::tensor(context.element(0)), places = Type::tensor(ElementType::int64);
  if (input != nullptr) {
    Shape shape = *input;
    const std::size_t axis = normalize_axis(context, context.integer("axis"), shape.size());
    const Dim count = kept_count(context);
    check_count(context, count, shape[axis]);
    shape[axis] = count;
    values = Type::tensor(context.element(0), shape);
    places = Type::tensor(ElementType::int64, shape);
  }
  context.output(0, values);
  context.output(1, places);
}

/// Which elements TopK prefers.
enum class Preference { largest, smallest };

/// Index of each chosen element along its line, best first; of equals the first.
template <class T>
void choose(const Tensor& input, const AxisLines& lines, const AxisLines& chosen, Preference preference,
            std::span<std::int64_t> places) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(lines.length));
  for (std::int64_t line = 0; line < lines.outer * lines.step; ++line) {
    const std::int64_t row = line / lines.step, column = line % lines.step;
    const T* const elements = input.values<T>().data() + lines.start(row, column);
    const auto better = [&](std::int64_t a, std::int64_t b) {
      const T &x = elements[a * lines.step], &y = elements[b * lines.step];
      if (comes_before(x, y)) return preference == Preference::smallest;
      if (comes_before(y, x)) return preference == Preference::largest;
      return a < b;
    };
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + chosen.length, order.end(), better);
    for (std::int64_t i = 0; i < chosen.length; ++i)
      places[static_cast<std::size_t>(chosen.start(row, column) + i * chosen.step)] =
          order[static_cast<std::size_t>(i)];
  }
}

std::int64_t kept_count(const EvaluateContext& context) {
  if (context.version() < 10) return context.integer("k");
  if (context.tensor(1).count() != 1) context.fail("k is not a single number");
  return context.tensor(1).integer_at(0);
}

void evaluate_top_k(EvaluateContext& context) {
  const Tensor& input = context.tensor(0);
  const std::size_t axis = normalize_axis(context, context.integer("axis"), input.rank());
  const std::int64_t count = kept_count(context);
  if (count < 0 || count > input.dim(axis)) context.fail("k is {} of {}", count, input.dim(axis));
  const bool largest = context.version() < 11 || context.integer("largest") != 0;
  Dims dims = input.dims();
  dims[axis] = count;
  Tensor places = Tensor::zeros(ElementType::int64, dims);
  std::vector<std::int64_t> sources(places.count());
  if (places.count() > 0) {
    const AxisLines lines(input.dims(), axis), chosen(dims, axis);
    const std::span<std::int64_t> out = places.write<std::int64_t>();
    dispatch_number(input.type(), [&](auto zero) {
      choose<decltype(zero)>(input, lines, chosen, largest ? Preference::largest : Preference::smallest, out);
    });
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const auto position = static_cast<std::int64_t>(i);
      const std::int64_t row = position / (chosen.length * chosen.step), column = position % chosen.step;
      sources[i] = lines.start(row, column) + out[i] * lines.step;
    }
  }
  context.output(0, pick_runs(input, dims, sources));
  context.output(1, std::move(places));
}

// ArgMax and ArgMin.

Shape without_axis(const NodeReader& node, Shape shape) {
  const std::size_t axis = normalize_axis(node, node.integer("axis"), shape.size());
  if (node.integer("keepdims") != 0) shape[axis] = 1;
  else shape.erase(axis);
  return shape;
}

void infer_arg(InferContext& context) {
  if (context.shape(0) == nullptr) return context.output(0, ElementType::int64);
  context.output(0, ElementType::int64, without_axis(context, *context.shape(0)));
}

/// Where along each line of a tensor its greatest (or least) element is; NaN wins either way.
template <class T>
void find_best(const NodeReader& node, const Tensor& input, const AxisLines& lines, std::span<std::int64_t> found) {
  const std::span<const T> values = input.values<T>();
  const bool least = node.entry().name == "ArgMin";
  const bool last = node.version() >= 12 && node.integer("select_last_index") != 0;
  const auto better = [&](const T& a, const T& b) {
    if (is_not_a_number(a) || is_not_a_number(b)) return is_not_a_number(a) && !is_not_a_number(b);
    return least ? a < b : b < a;
  };
  for (std::int64_t row = 0; row < lines.outer; ++row) {
    for (std::int64_t column = 0; column < lines.step; ++column) {
      const T* const line = values.data() + lines.start(row, column);
      std::int64_t best = 0;
      for (std::int64_t i = 1; i < lines.length; ++i) {
        const T &candidate = line[i * lines.step], &champion = line[best * lines.step];
        if (last ? !better(champion, candidate) : better(candidate, champion)) best = i;
      }
      found[static_cast<std::size_t>(row * lines.step + column)] = best;
    }
  }
}

void evaluate_arg(EvaluateContext& context) {
  const Tensor& input = context.tensor(0);
  const std::size_t axis = normalize_axis(context, context.integer("axis"), input.rank());
  Tensor found = Tensor::zeros(ElementType::int64, static_dims(without_axis(context, input.shape())));
  if (found.count() > 0 && input.dim(axis) == 0) context.fail("axis {} has no elements", axis);
  if (found.count() > 0)
    dispatch_number(input.type(), [&](auto zero) {
      find_best<decltype(zero)>(context, input, AxisLines(input.dims(), axis), found.write<std::int64_t>());
    });
  context.output(0, std::move(found));
}

// OneHot.

void infer_one_hot(InferContext& context) {
  const Shape* indices = context.shape(0);
  if (indices == nullptr) return context.output(0, context.element(2));
  Dim depth;
  if (const Tensor* constant = context.constant(1); constant != nullptr && constant->count() == 1)
    depth = constant->integer_at(0);
  else if (const auto contents = context.contents(1); contents && contents->size() == 1) depth = (*contents)[0];
  if (depth.known() && depth.value() < 0) context.fail("the depth is {}", depth.value());
  Shape shape = *indices;
  shape.insert(normalize_axis(context, context.integer("axis"), shape.size() + 1), depth);
  context.output(0, context.element(2), shape);
}

void evaluate_one_hot(EvaluateContext& context) {
  const Tensor &indices = context.tensor(0), &values = context.tensor(2);
  if (context.tensor(1).count() != 1) context.fail("the depth is not a single number");
  if (values.count() != 2) context.fail("there are {} values, not off and on", values.count());
  const std::int64_t depth = context.tensor(1).integer_at(0);
  if (depth < 0) context.fail("the depth is {}", depth);
  Dims dims = indices.dims();
  const std::size_t axis = normalize_axis(context, context.integer("axis"), dims.size() + 1);
  dims.insert(axis, depth);
  const std::int64_t count = element_count(dims);
  std::vector<std::int64_t> sources(static_cast<std::size_t>(count), 0);
  if (count > 0) {
    const AxisLines lines(dims, axis);
    std::size_t next = 0;
    for (std::int64_t row = 0; row < lines.outer; ++row) {
      for (std::int64_t column = 0; column < lines.step; ++column) {
        std::int64_t hot = indices.integer_at(next++);
        if (hot < 0 && context.version() >= 11) hot += depth;
        if (hot >= 0 && hot < depth) sources[static_cast<std::size_t>(lines.start(row, column) + hot * lines.step)] = 1;
      }
    }
  }
  context.output(0, pick_runs(values, dims, sources));
}

// Compress.

void infer_compress(InferContext& context) {
  Dim count;
  if (const auto condition = context.known_integers(1))
    count = static_cast<std::int64_t>(condition->size()) - std::ranges::count(*condition, 0);
  if (!context.has_attribute("axis")) return context.output(0, context.element(0), {count});
  if (context.shape(0) == nullptr) return context.output(0, context.element(0));
  Shape shape = *context.shape(0);
  shape[normalize_axis(context, context.integer("axis"), shape.size())] = count;
  context.output(0, context.element(0), shape);
}

void evaluate_compress(EvaluateContext& context) {
  const bool flat = !context.has_attribute("axis");
  const Tensor& given = context.tensor(0);
  const Tensor input = flat ? given.reshaped({static_cast<std::int64_t>(given.count())}) : given;
  const std::size_t axis = flat ? 0 : normalize_axis(context, context.integer("axis"), input.rank());
  const std::vector<std::int64_t> condition = context.tensor(1).integers();
  if (static_cast<std::int64_t>(condition.size()) > input.dim(axis))
    context.fail("the condition has {} elements for {}", condition.size(), input.dim(axis));
  Dims dims = input.dims();
  dims[axis] = static_cast<std::int64_t>(condition.size()) - std::ranges::count(condition, 0);
  if (element_count(dims) == 0) return context.output(0, Tensor::zeros(input.type(), dims));
  std::vector<std::int64_t> sources;
  const AxisLines lines(input.dims(), axis);
  for (std::int64_t row = 0; row < lines.outer; ++row)
    for (std::size_t i = 0; i < condition.size(); ++i)
      if (condition[i] != 0) sources.push_back(row * lines.length + static_cast<std::int64_t>(i));
  context.output(0, pick_runs(input, dims, sources));
}

// clang-format off
const OpFamily selection_family({
    {.name = "TopK", .versions = {1, 10, 11, 24}, .inputs = {1, 2}, .outputs = {1, 2},
     .attributes = {integer("axis", -1), integer("k").until(10), integer("largest", 1).since(11),
                    integer("sorted", 1).since(11)},
     .kind = OpKind::reduction, .infer = infer_top_k, .evaluate = evaluate_top_k},
    {.name = "ArgMax", .versions = {1, 11, 12, 13},
     .attributes = {integer("axis", 0), integer("keepdims", 1), integer("select_last_index", 0).since(12)},
     .kind = OpKind::reduction, .infer = infer_arg, .evaluate = evaluate_arg},
    {.name = "ArgMin", .versions = {1, 11, 12, 13},
     .attributes = {integer("axis", 0), integer("keepdims", 1), integer("select_last_index", 0).since(12)},
     .kind = OpKind::reduction, .infer = infer_arg, .evaluate = evaluate_arg},
    {.name = "OneHot", .versions = {9, 11}, .inputs = {3, 3}, .attributes = {integer("axis", -1)},
     .kind = OpKind::movement, .infer = infer_one_hot, .evaluate = evaluate_one_hot},
    {.name = "Compress", .versions = {9, 11}, .inputs = {2, 2}, .attributes = {integer("axis")},
     .kind = OpKind::movement, .infer = infer_compress, .evaluate = evaluate_compress},
});
// clang-format on

}  // namespace
}  // namespace hone
