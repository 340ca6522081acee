#include <algorithm>
#include <map>

#include "graph/loops/operator_loop.h"
#include "graph/ops/axes.h"
#include "graph/ops/einsum_equation.h"

// Einsum: a point for every label, of which those that the result does not have are folded.

namespace hone {
namespace {

using EinsumLoop = std::optional<OperatorLoop>;
using Labels = std::vector<EinsumEquation::Label>;

/// How far an operand moves with every label: a label that it has twice goes along a diagonal, an axis of one element
/// is stretched.
Dims strides_by_label(const Labels& labels, const Labels& own, const Dims& dims) {
  const Dims strides = strides_of(dims);
  Dims by_label(labels.size(), 0);
  for (std::size_t axis = 0; axis < own.size(); ++axis)
    if (dims[axis] != 1)
      by_label[static_cast<std::size_t>(std::ranges::find(labels, own[axis]) - labels.begin())] += strides[axis];
  return by_label;
}

EinsumLoop describe_einsum(const LoopContext& context, std::size_t) {
  std::vector<std::size_t> ranks;
  for (std::size_t i = 0; i < context.input_count(); ++i) ranks.push_back(context.dims(i).size());
  const EinsumEquation equation = einsum_equation(context, ranks);
  Labels labels = equation.output;
  std::map<EinsumEquation::Label, std::int64_t> sizes;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    for (std::size_t axis = 0; axis < ranks[i]; ++axis) {
      const EinsumEquation::Label label = equation.inputs[i][axis];
      sizes[label] = std::max(sizes[label], context.dims(i)[axis]);
      if (std::ranges::find(labels, label) == labels.end()) labels.push_back(label);
    }
  OperatorLoop loop;
  for (const EinsumEquation::Label label : labels) loop.space.push_back(sizes[label]);
  for (std::size_t i = equation.output.size(); i < labels.size(); ++i) loop.folded.push_back(i);
  loop.writes = strides_by_label(labels, equation.output, context.output_dims(0));
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    loop.inputs.push_back(i);
    loop.reads.push_back({.strides = strides_by_label(labels, equation.inputs[i], context.dims(i))});
  }
  loop.body = [folds = !loop.folded.empty()](LoopBody& body, std::span<const LoopValue> x) {
    LoopValue product = x[0];
    for (const LoopValue next : x.subspan(1)) product = body.multiply(product, next);
    return folds ? body.apply(LoopOp::row_sum, {product}) : product;
  };
  return loop;
}

const LoopFamily einsum_loops({{"Einsum", describe_einsum}});

}  // namespace
}  // namespace hone
