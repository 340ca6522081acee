#include "graph/ops/axes.h"
#include "graph/ops/copy.h"
#include "graph/ops/cost_context.h"
#include "graph/ops/evaluate_context.h"
#include "graph/ops/family.h"
#include "graph/ops/indices.h"
#include "graph/ops/infer_context.h"

// Operators that read elements at places given by another tensor.

namespace hone {
namespace {

/// The axis of the data replaced by the dims of the indices.
Shape gathered(const NodeReader& node, const Shape& data, const Shape& indices) {
  const std::size_t axis = normalize_axis(node, node.integer("axis"), data.size());
  Shape shape;
  for (std::size_t i = 0; i < axis; ++i) shape.push_back(data[i]);
  for (const Dim d : indices) shape.push_back(d);
  for (std::size_t i = axis + 1; i < data.size(); ++i) shape.push_back(data[i]);
  return shape;
}

void infer_gather(InferContext& context) {
  const Shape *data = context.shape(0), *indices = context.shape(1);
  if (data == nullptr || indices == nullptr) return context.output(0, context.element(0));
  context.output(0, context.element(0), gathered(context, *data, *indices));
  const std::optional<Contents> contents = context.contents(0);
  const auto wanted = context.known_integers(1);
  if (!contents || !wanted || data->size() != 1) return;
  const auto length = static_cast<std::int64_t>(contents->size());
  Contents found;
  for (const std::int64_t index : *wanted) {
    if (index < -length || index >= length) context.fail("index {} is out of range for {} elements", index, length);
    found.push_back((*contents)[static_cast<std::size_t>(index < 0 ? index + length : index)]);
  }
  context.output_contents(0, std::move(found));
}

void evaluate_gather(EvaluateContext& context) {
  const Tensor &data = context.tensor(0), &indices = context.tensor(1);
  const Dims dims = static_dims(gathered(context, data.shape(), indices.shape()));
  const std::size_t axis = normalize_axis(context, context.integer("axis"), data.rank());
  const std::vector<std::int64_t> wanted = indices_within(context, indices, data.dim(axis));
  std::int64_t outer = 1;
  for (std::size_t i = 0; i < axis; ++i) outer *= data.dim(i);
  if (element_count(dims) == 0) return context.output(0, Tensor::zeros(data.type(), dims));
  std::vector<std::int64_t> sources;
  sources.reserve(static_cast<std::size_t>(outer) * wanted.size());
  for (std::int64_t row = 0; row < outer; ++row)
    for (const std::int64_t index : wanted) sources.push_back(row * data.dim(axis) + index);
  context.output(0, pick_runs(data, dims, sources));
}

void infer_gather_elements(InferContext& context) {
  const Shape *data = context.shape(0), *indices = context.shape(1);
  if (data != nullptr) normalize_axis(context, context.integer("axis"), data->size());
  if (data != nullptr && indices != nullptr && data->size() != indices->size())
    context.fail("indices have rank {}, the data {}", indices->size(), data->size());
  if (indices != nullptr) context.output(0, context.element(0), *indices);
  else if (data != nullptr) context.output(0, context.element(0), Shape(data->size()));
  else context.output(0, context.element(0));
}

void evaluate_gather_elements(EvaluateContext& context) {
  const Tensor &data = context.tensor(0), &indices = context.tensor(1);
  context.output(0, pick_runs(data, indices.dims(), element_places(context, data.dims(), indices)));
}

Shape gathered_nd(const NodeReader& node, const Shape& data, const Shape& indices) {
  const std::int64_t batch = node.version() >= 12 ? node.integer("batch_dims") : 0;
  const auto rank = static_cast<std::int64_t>(std::min(data.size(), indices.size()));
  if (indices.empty() || batch < 0 || batch >= rank)
    node.fail("{} batch dims with {} and {}", batch, text_of(data), text_of(indices));
  Shape shape;
  for (std::size_t i = 0; i + 1 < indices.size(); ++i) shape.push_back(indices[i]);
  for (std::size_t i = tuple_end(node, data, indices, static_cast<std::size_t>(batch)); i < data.size(); ++i)
    shape.push_back(data[i]);
  return shape;
}

void infer_gather_nd(InferContext& context) {
  const Shape *data = context.shape(0), *indices = context.shape(1);
  if (data == nullptr || indices == nullptr || indices->empty() || !indices->back().known())
    return context.output(0, context.element(0));
  context.output(0, context.element(0), gathered_nd(context, *data, *indices));
}

void evaluate_gather_nd(EvaluateContext& context) {
  const Tensor &data = context.tensor(0), &indices = context.tensor(1);
  const Dims dims = static_dims(gathered_nd(context, data.shape(), indices.shape()));
  const std::size_t batch = context.version() >= 12 ? static_cast<std::size_t>(context.integer("batch_dims")) : 0;
  context.output(0, pick_runs(data, dims, tuple_places(context, data.dims(), indices, batch)));
}

/// Only what the indices name is read.
double gather_bytes(const CostContext& context) { return context.input_bytes(1) + 2 * context.output_bytes(0); }

// clang-format off
const OpFamily gather_family({
    {.name = "Gather", .versions = {1, 11, 13}, .inputs = {2, 2}, .attributes = {integer("axis", 0)},
     .kind = OpKind::movement, .degree = Degree::copy,
     .infer = infer_gather, .evaluate = evaluate_gather, .bytes = gather_bytes},
    {.name = "GatherElements", .versions = {11, 13}, .inputs = {2, 2}, .attributes = {integer("axis", 0)},
     .kind = OpKind::movement, .infer = infer_gather_elements, .evaluate = evaluate_gather_elements,
     .bytes = gather_bytes},
    {.name = "GatherND", .versions = {11, 12, 13}, .inputs = {2, 2}, .attributes = {integer("batch_dims", 0).since(12)},
     .kind = OpKind::movement, .infer = infer_gather_nd, .evaluate = evaluate_gather_nd, .bytes = gather_bytes},
});
// clang-format on

}  // namespace
}  // namespace hone
