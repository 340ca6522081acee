#include "graph/ops/real_array.h"

#include <algorithm>
#include <cmath>

#include "graph/ops/axes.h"
#include "graph/ops/convert.h"

namespace hone {

RealArray RealArray::of(const Tensor& tensor) { return {tensor.dims(), numbers_of(tensor)}; }

Tensor RealArray::rounded(ElementType type) const {
  Tensor tensor = Tensor::zeros(type, dims);
  write_numbers(tensor, 0, values);
  return tensor;
}

void add(const NodeReader& node, RealArray& sum, const RealArray& term) {
  if (!(broadcast(node, sum.dims, term.dims) == sum.dims)) node.fail("a term has more elements than the sum");
  const Dims strides = broadcast_strides(term.dims, sum.dims);
  for (StridedWalk walk(sum.dims, {&strides}); !walk.done(); walk.next())
    sum.values[walk.position()] += term.values[walk.offset(0)];
}

void softmax(std::span<double> row) {
  if (row.empty()) return;
  const double greatest = *std::ranges::max_element(row);
  double sum = 0;
  for (double& value : row) sum += value = std::exp(value - greatest);
  for (double& value : row) value /= sum;
}

}  // namespace hone
