#include <cmath>

#include "graph/ops/axes.h"
#include "graph/ops/copy.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/indices.h"
#include "graph/ops/infer_context.h"
#include "graph/ops/rounding.h"

// Operators that write elements to places given by another tensor, into a copy of their first input.

namespace hone {
namespace {

void infer_scatter(InferContext& context) { context.output(0, context.type(0)); }

/// How an update joins what is already in its place.
enum class Joining { replace, add, multiply, minimum, maximum };

Joining joining(const NodeReader& node) {
  if (node.version() < 16) return Joining::replace;
  const std::string& name = node.text("reduction");
  if (name == "none") return Joining::replace;
  if (name == "add") return Joining::add;
  if (name == "mul") return Joining::multiply;
  if (name == "min" && node.version() >= 18) return Joining::minimum;
  if (name == "max" && node.version() >= 18) return Joining::maximum;
  node.fail("unknown reduction '{}'", name);
}

/// What updates are joined in: doubles for real numbers, so that rounding happens once; 64 wrapping bits for integers.
template <class T>
using Joined = std::conditional_t<!std::is_integral_v<T>, double,
                                  std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

template <class Number>
Number join(Joining how, Number old, Number update) {
  if constexpr (std::is_same_v<Number, double>) {
    if (how == Joining::add) return old + update;
    if (how == Joining::multiply) return old * update;
    if (std::isnan(old) || std::isnan(update)) return NAN;
  } else {
    const auto a = static_cast<std::uint64_t>(old), b = static_cast<std::uint64_t>(update);
    if (how == Joining::add) return static_cast<Number>(a + b);
    if (how == Joining::multiply) return static_cast<Number>(a * b);
  }
  return how == Joining::minimum ? std::min(old, update) : std::max(old, update);
}

/// Joins run i of the updates into run `places[i]` of the data.
template <class T>
Tensor joined(const Tensor& data, const Tensor& updates, std::span<const std::int64_t> places, Joining how) {
  const std::span<const T> old = data.values<T>(), change = updates.values<T>();
  std::vector<Joined<T>> wide(old.begin(), old.end());
  const std::size_t run = change.size() / places.size();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t start = static_cast<std::size_t>(places[i]) * run;
    for (std::size_t j = 0; j < run; ++j)
      wide[start + j] = join(how, wide[start + j], static_cast<Joined<T>>(change[i * run + j]));
  }
  Tensor result = Tensor::zeros(data.type(), data.dims());
  const std::span<T> out = result.write<T>();
  for (std::size_t i = 0; i < out.size(); ++i) {
    if constexpr (std::is_integral_v<T>) out[i] = static_cast<T>(wide[i]);
    else out[i] = rounded<T>(wide[i]);
  }
  return result;
}

/// Writes run i of the updates to run `places[i]` of a copy of the data.
void output_scattered(EvaluateContext& context, const Tensor& updates, std::span<const std::int64_t> places) {
  const Tensor& data = context.tensor(0);
  const Joining how = joining(context);
  if (updates.type() != data.type())
    context.fail("updates are of {}, the data of {}", name_of(updates.type()), name_of(data.type()));
  if (how == Joining::replace || updates.count() == 0) {
    Tensor result = unshared_copy(data);
    place_runs(result, updates, places);
    return context.output(0, std::move(result));
  }
  context.output(
      0, dispatch_number(data.type(), [&](auto zero) { return joined<decltype(zero)>(data, updates, places, how); }));
}

void infer_scatter_elements(InferContext& context) {
  const Shape *data = context.shape(0), *indices = context.shape(1);
  if (data != nullptr) normalize_axis(context, context.integer("axis"), data->size());
  if (data != nullptr && indices != nullptr && data->size() != indices->size())
    context.fail("indices have rank {}, the data {}", indices->size(), data->size());
  infer_scatter(context);
}

void evaluate_scatter_elements(EvaluateContext& context) {
  const Tensor &indices = context.tensor(1), &updates = context.tensor(2);
  if (!(indices.dims() == updates.dims()))
    context.fail("updates {} do not match indices {}", text_of(updates.shape()), text_of(indices.shape()));
  output_scattered(context, updates, element_places(context, context.tensor(0).dims(), indices));
}

void evaluate_scatter_nd(EvaluateContext& context) {
  const Tensor &data = context.tensor(0), &indices = context.tensor(1), &updates = context.tensor(2);
  if (indices.rank() == 0 || data.rank() == 0) context.fail("the data or the indices are a scalar");
  Dims expected;
  for (std::size_t i = 0; i + 1 < indices.rank(); ++i) expected.push_back(indices.dim(i));
  for (std::size_t i = tuple_end(context, data.shape(), indices.shape(), 0); i < data.rank(); ++i)
    expected.push_back(data.dim(i));
  if (!(updates.dims() == expected))
    context.fail("updates {} do not match indices {}", text_of(updates.shape()), text_of(indices.shape()));
  output_scattered(context, updates, tuple_places(context, data.dims(), indices, 0));
}

/// Axis along which TensorScatter writes; axis 0 is the batch.
std::size_t sequence_axis(const NodeReader& node, std::size_t rank) {
  const std::size_t axis = normalize_axis(node, node.integer("axis"), rank);
  if (axis == 0) node.fail("axis 0 is the batch");
  return axis;
}

void infer_tensor_scatter(InferContext& context) {
  if (context.shape(0) != nullptr) sequence_axis(context, context.shape(0)->size());
  infer_scatter(context);
}

void evaluate_tensor_scatter(EvaluateContext& context) {
  const Tensor &cache = context.tensor(0), &update = context.tensor(1);
  const std::size_t axis = sequence_axis(context, cache.rank());
  if (update.rank() != cache.rank()) context.fail("the update has rank {}, the cache {}", update.rank(), cache.rank());
  for (std::size_t i = 0; i < cache.rank(); ++i)
    if (update.dim(i) != cache.dim(i) && (i != axis || update.dim(i) > cache.dim(i)))
      context.fail("the update {} does not fit the cache {}", text_of(update.shape()), text_of(cache.shape()));
  std::vector<std::int64_t> starts(static_cast<std::size_t>(cache.dim(0)), 0);
  if (context.has_input(2)) starts = context.tensor(2).integers();
  if (static_cast<std::int64_t>(starts.size()) != cache.dim(0))
    context.fail("{} write indices for a batch of {}", starts.size(), cache.dim(0));
  const bool circular = context.text("mode") == "circular";
  if (!circular && context.text("mode") != "linear") context.fail("unknown mode '{}'", context.text("mode"));
  const std::int64_t capacity = cache.dim(axis), length = update.dim(axis);
  for (std::int64_t& start : starts) {
    if (start < 0 || (!circular && start > capacity - length))
      context.fail("a write index of {} is out of range", start);
    if (circular && capacity > 0) start %= capacity;
  }
  Tensor result = unshared_copy(cache);
  std::int64_t rows = 1;
  for (std::size_t i = 1; i < axis; ++i) rows *= cache.dim(i);
  std::vector<std::int64_t> places;
  if (update.count() == 0) return context.output(0, std::move(result));
  for (std::int64_t row = 0; row < cache.dim(0) * rows; ++row)
    for (std::int64_t step = 0; step < length; ++step)
      places.push_back(row * capacity + (starts[static_cast<std::size_t>(row / rows)] + step) % capacity);
  place_runs(result, update, places);
  context.output(0, std::move(result));
}

// clang-format off
const OpFamily scatter_family({
    {.name = "Scatter", .versions = {9, 11}, .inputs = {3, 3}, .attributes = {integer("axis", 0)},
     .kind = OpKind::movement, .infer = infer_scatter_elements, .evaluate = evaluate_scatter_elements},
    {.name = "ScatterElements", .versions = {11, 13, 16, 18}, .inputs = {3, 3},
     .attributes = {integer("axis", 0), text("reduction", "none").since(16)},
     .kind = OpKind::movement, .infer = infer_scatter_elements, .evaluate = evaluate_scatter_elements},
    {.name = "ScatterND", .versions = {11, 13, 16, 18}, .inputs = {3, 3},
     .attributes = {text("reduction", "none").since(16)},
     .kind = OpKind::movement, .infer = infer_scatter, .evaluate = evaluate_scatter_nd},
    {.name = "TensorScatter", .versions = {24}, .inputs = {2, 3},
     .attributes = {integer("axis", -2), text("mode", "linear")},
     .kind = OpKind::movement, .infer = infer_tensor_scatter, .evaluate = evaluate_tensor_scatter},
});
// clang-format on

}  // namespace
}  // namespace hone
