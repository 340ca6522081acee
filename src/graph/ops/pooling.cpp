#include <cmath>
#include <limits>

#include "graph/ops/axes.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/infer_context.h"
#include "graph/ops/numbers.h"
#include "graph/ops/window.h"

// Folds over sliding windows, and over whole planes.

namespace hone {
namespace {

Window pooling_window(const NodeReader& node, std::size_t rank) {
  const auto sizes = kernel_shape(node);
  if (!sizes) node.fail("kernel_shape is missing");
  if (rank < 2 || sizes->size() != rank - 2)
    node.fail("a kernel_shape of {} for an input of rank {}", sizes->size(), rank);
  return read_window(node, *sizes);
}

Shape pooled_shape(const NodeReader& node, const Shape& x) {
  const Window window = pooling_window(node, x.size());
  Shape shape = x;
  for (std::size_t i = 0; i < window.axes.size(); ++i) shape[i + 2] = window.count(node, i, x[i + 2]);
  return shape;
}

void infer_pool(InferContext& context) {
  // The second output, where there is one, holds indices.
  if (context.shape(0) == nullptr) {
    context.output(0, context.element(0));
    return context.output(1, ElementType::int64);
  }
  const Shape shape = pooled_shape(context, *context.shape(0));
  context.output(0, context.element(0), shape);
  context.output(1, ElementType::int64, shape);
}

Dims spatial_of(const Dims& dims) { return Dims(std::span(dims.data() + 2, dims.size() - 2)); }

/// Calls `visit(output, plane, covered)` for every output element: its index, the index of the first element of its
/// input plane, and the elements of the plane that its window covers.
template <class Visit>
void for_each_window(const Tensor& x, const Dims& out, const Window& window, Visit visit) {
  const Dims spatial = spatial_of(x.dims()), strides = strides_of(spatial), counts = spatial_of(out);
  if (element_count(out) == 0) return;
  const std::int64_t plane = element_count(spatial);
  const std::int64_t planes = x.dim(0) * x.dim(1);
  std::size_t output = 0;
  CoveredElements covered = {spatial, strides, window.axes, Dims(spatial.size(), 0)};
  for (std::int64_t i = 0; i < planes; ++i) {
    for (StridedWalk walk(counts, {}); !walk.done(); walk.next()) {
      for (std::size_t axis = 0; axis < spatial.size(); ++axis) covered.position[axis] = walk.index(axis);
      visit(output++, static_cast<std::size_t>(i * plane), covered);
    }
  }
}

/// Index of an element of a plane when the plane is counted with the first axis running fastest.
std::int64_t column_major(std::int64_t offset, const Dims& spatial) {
  std::int64_t index = 0;
  for (std::size_t axis = spatial.size(); axis-- > 0;) {
    index += offset % spatial[axis] * count_between(spatial, 0, axis);
    offset /= spatial[axis];
  }
  return index;
}

/// The resolved window of a pooling node and the dims of its output.
struct Pooling {
  Window window;
  Dims dims;
};

Pooling pooling_of(const EvaluateContext& context) {
  const Tensor& x = context.tensor(0);
  const Dims dims = dims_of(pooled_shape(context, x.shape()));
  return {pooling_window(context, x.rank()).padded_for(spatial_of(x.dims())), dims};
}

/// What a window gives that covers padding only.
double nothing_of(ElementType type) {
  if (is_floating(type)) return -std::numeric_limits<double>::infinity();
  return is_signed_integer(type) ? std::numeric_limits<std::int8_t>::lowest() : 0;
}

void evaluate_max_pool(EvaluateContext& context) {
  const Pooling pooling = pooling_of(context);
  const Tensor& x = context.tensor(0);
  const Numbers<double> numbers(x);
  const Dims spatial = spatial_of(x.dims());
  const bool columns_first = context.version() >= 8 && context.integer("storage_order") != 0;
  std::vector<double> greatest(buffer_size(pooling.dims), nothing_of(x.type()));
  std::vector<std::int64_t> indices(greatest.size(), -1);
  for_each_window(
      x, pooling.dims, pooling.window, [&](std::size_t output, std::size_t plane, const CoveredElements& covered) {
        std::int64_t where = -1;
        double& best = greatest[output];
        covered.for_each([&](std::int64_t offset) {
          const double number = numbers[plane + static_cast<std::size_t>(offset)];
          if (where >= 0 && (number <= best || best != best)) return;  // the first of equals; a NaN stays
          best = number;
          where = offset;
        });
        if (where >= 0)
          indices[output] = static_cast<std::int64_t>(plane) + (columns_first ? column_major(where, spatial) : where);
      });
  context.output(0, tensor_of(x.type(), pooling.dims, greatest));
  if (context.wants_output(1)) context.output(1, tensor_of(ElementType::int64, pooling.dims, indices));
}

/// Elements and padding a window covers; what lies behind the padding does not count.
std::int64_t padded_count(const CoveredElements& covered) {
  std::int64_t count = 1;
  for (std::size_t i = 0; i < covered.axes.size(); ++i) {
    const WindowAxis& along = covered.axes[i];
    const std::int64_t room = covered.spatial[i] + along.pad_end + along.pad_begin - covered.position[i] * along.stride;
    count *= std::min(along.size, (room + along.dilation - 1) / along.dilation);
  }
  return count;
}

void evaluate_average_pool(EvaluateContext& context) {
  const Pooling pooling = pooling_of(context);
  const Tensor& x = context.tensor(0);
  const Numbers<double> numbers(x);
  const bool with_padding = context.version() >= 7 && context.integer("count_include_pad") != 0;
  std::vector<double> means(buffer_size(pooling.dims));
  for_each_window(x, pooling.dims, pooling.window,
                  [&](std::size_t output, std::size_t plane, const CoveredElements& covered) {
                    double sum = 0;
                    std::int64_t count = 0;
                    covered.for_each([&](std::int64_t offset) {
                      sum += numbers[plane + static_cast<std::size_t>(offset)];
                      ++count;
                    });
                    means[output] = sum / static_cast<double>(with_padding ? padded_count(covered) : count);
                  });
  context.output(0, tensor_of(x.type(), pooling.dims, means));
}

/// The exponent of an Lp norm: a float in the first version, an integer since.
double exponent_of(const NodeReader& node) {
  return node.version() < 2 ? static_cast<double>(node.number("p")) : static_cast<double>(node.integer("p"));
}

void evaluate_lp_pool(EvaluateContext& context) {
  const Pooling pooling = pooling_of(context);
  const Tensor& x = context.tensor(0);
  const Numbers<double> numbers(x);
  const double p = exponent_of(context);
  std::vector<double> norms(buffer_size(pooling.dims));
  for_each_window(x, pooling.dims, pooling.window,
                  [&](std::size_t output, std::size_t plane, const CoveredElements& covered) {
                    double sum = 0;
                    covered.for_each([&](std::int64_t offset) {
                      sum += std::pow(std::abs(numbers[plane + static_cast<std::size_t>(offset)]), p);
                    });
                    norms[output] = std::pow(sum, 1 / p);
                  });
  context.output(0, tensor_of(x.type(), pooling.dims, norms));
}

Shape global_shape(const NodeReader& node, const Shape& x) {
  if (x.size() < 2) node.fail("an input {} has no channels", text_of(x));
  Shape shape(x.size(), 1);
  shape[0] = x[0];
  shape[1] = x[1];
  return shape;
}

void infer_global_pool(InferContext& context) {
  if (context.shape(0) == nullptr) return context.output(0, context.element(0));
  context.output(0, context.element(0), global_shape(context, *context.shape(0)));
}

/// Folds each plane to one number with `fold(plane)`.
template <class Fold>
void evaluate_global_pool(EvaluateContext& context, Fold fold) {
  const Tensor& x = context.tensor(0);
  const Dims dims = dims_of(global_shape(context, x.shape()));
  const Numbers<double> numbers(x);
  std::vector<double> result(buffer_size(dims));
  const auto plane = static_cast<std::size_t>(count_between(x.dims(), 2, x.rank()));
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = fold(numbers.view().subspan(i * plane, plane));
  context.output(0, tensor_of(x.type(), dims, result));
}

void evaluate_global_average_pool(EvaluateContext& context) {
  evaluate_global_pool(context, [](std::span<const double> plane) {
    double sum = 0;
    for (const double x : plane) sum += x;
    return sum / static_cast<double>(plane.size());
  });
}

void evaluate_global_max_pool(EvaluateContext& context) {
  evaluate_global_pool(context, [](std::span<const double> plane) {
    double best = -std::numeric_limits<double>::infinity();
    for (const double x : plane)
      if (x > best || x != x) best = x;
    return best;
  });
}

void evaluate_global_lp_pool(EvaluateContext& context) {
  const double p = exponent_of(context);
  evaluate_global_pool(context, [p](std::span<const double> plane) {
    double sum = 0;
    for (const double x : plane) sum += std::pow(std::abs(x), p);
    return std::pow(sum, 1 / p);
  });
}

/// Dims of what was pooled, as far as the pooled dims tell: the indices of MaxUnpool count within these.
Shape unpooled_shape(const NodeReader& node, const Shape& x) {
  const Window window = pooling_window(node, x.size());
  Shape shape = x;
  for (std::size_t i = 0; i < window.axes.size(); ++i) {
    const WindowAxis& along = window.axes[i];
    shape[i + 2] = (x[i + 2] - 1) * Dim(along.stride) + Dim(along.size - along.pad_begin - along.pad_end);
    if (shape[i + 2].known() && shape[i + 2].value() < 0)
      node.fail("the output would be {} long", shape[i + 2].value());
  }
  return shape;
}

void infer_max_unpool(InferContext& context) {
  const auto given = context.contents(2);
  if (given) return context.output(0, context.element(0), Shape(std::span<const Dim>(*given)));
  const Shape* x = context.shape(0);
  if (x == nullptr) return context.output(0, context.element(0));
  context.output(0, context.element(0), context.has_input(2) ? Shape(x->size()) : unpooled_shape(context, *x));
}

void evaluate_max_unpool(EvaluateContext& context) {
  const Tensor &x = context.tensor(0), &places = context.tensor(1);
  const Dims counted = dims_of(unpooled_shape(context, x.shape()));
  const Dims dims = context.has_input(2) ? Dims(std::span<const std::int64_t>(context.tensor(2).integers())) : counted;
  if (dims.size() != counted.size())
    context.fail("the output shape has {} dims, expected {}", dims.size(), counted.size());
  if (places.type() != ElementType::int64 || places.count() != x.count())
    context.fail("the indices do not fit the input");
  const Dims strides = strides_of(dims);
  const std::int64_t total = element_count(counted);
  const Numbers<double> numbers(x);
  std::vector<double> result(buffer_size(dims));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::int64_t rest = places.values<std::int64_t>()[i], target = 0;
    if (rest < 0 || rest >= total) context.fail("index {} is out of range", rest);
    for (std::size_t axis = dims.size(); axis-- > 0;) {
      const std::int64_t at = rest % counted[axis];
      if (at >= dims[axis]) context.fail("index {} lies outside the output", places.values<std::int64_t>()[i]);
      target += at * strides[axis];
      rest /= counted[axis];
    }
    result[static_cast<std::size_t>(target)] = numbers[i];
  }
  context.output(0, tensor_of(x.type(), dims, result));
}

double pool_flops(const CostContext& context) {
  double taps = 1;
  for (const std::int64_t size : context.integers("kernel_shape")) taps *= static_cast<double>(size);
  return context.output_elements(0) * taps;
}

/// Attributes of all sliding pools, and those of one of them.
std::vector<AttributeSpec> pool_attributes(std::initializer_list<AttributeSpec> own) {
  std::vector<AttributeSpec> specs = {text("auto_pad", "NOTSET"), integers("kernel_shape"), integers("pads"),
                                      integers("strides")};
  specs.insert(specs.end(), own);
  return specs;
}

// clang-format off
const OpFamily pooling_family({
    {.name = "MaxPool", .versions = {1, 8, 10, 11, 12, 22}, .outputs = {1, 2},
     .attributes = pool_attributes({integer("storage_order", 0).since(8), integer("ceil_mode", 0).since(10),
                                    integers("dilations").since(10)}),
     .kind = OpKind::reduction, .infer = infer_pool, .evaluate = evaluate_max_pool, .flops = pool_flops},
    {.name = "AveragePool", .versions = {1, 7, 10, 11, 19, 22},
     .attributes = pool_attributes({integer("count_include_pad", 0).since(7), integer("ceil_mode", 0).since(10),
                                    integers("dilations").since(19)}),
     .kind = OpKind::reduction, .degree = Degree::mean,
     .infer = infer_pool, .evaluate = evaluate_average_pool, .flops = pool_flops},
    {.name = "LpPool", .versions = {1, 2, 11, 18, 22},
     .attributes = pool_attributes({number("p", 2).until(2), integer("p", 2).since(2), integer("ceil_mode", 0).since(18),
                                    integers("dilations").since(18)}),
     .kind = OpKind::reduction, .infer = infer_pool, .evaluate = evaluate_lp_pool, .flops = pool_flops},
    {.name = "GlobalAveragePool", .versions = {1, 22},
     .kind = OpKind::reduction, .degree = Degree::mean,
     .infer = infer_global_pool, .evaluate = evaluate_global_average_pool},
    {.name = "GlobalMaxPool", .versions = {1, 22},
     .kind = OpKind::reduction, .infer = infer_global_pool, .evaluate = evaluate_global_max_pool},
    {.name = "GlobalLpPool", .versions = {1, 2, 22}, .attributes = {number("p", 2).until(2), integer("p", 2).since(2)},
     .kind = OpKind::reduction, .infer = infer_global_pool, .evaluate = evaluate_global_lp_pool},
    {.name = "MaxUnpool", .versions = {9, 11, 22}, .inputs = {2, 3},
     .attributes = {integers("kernel_shape"), integers("pads"), integers("strides")},
     .kind = OpKind::movement, .infer = infer_max_unpool, .evaluate = evaluate_max_unpool},
});
// clang-format on

}  // namespace
}  // namespace hone
