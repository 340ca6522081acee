#pragma once

#include <span>
#include <vector>

#include "graph/ir/tensor.h"
#include "graph/ops/op.h"

namespace hone {

/// A tensor's numbers widened to double: operators with many steps between input and output compute on these and round
/// once at the end, whatever the element type.
struct RealArray {
  Dims dims;
  std::vector<double> values;

  RealArray() = default;
  explicit RealArray(Dims shape) : dims(std::move(shape)), values(static_cast<std::size_t>(element_count(dims)), 0.0) {}
  RealArray(Dims shape, std::vector<double> numbers) : dims(std::move(shape)), values(std::move(numbers)) {}

  /// The numbers of any real or integer tensor. Throws InputError for other element types.
  static RealArray of(const Tensor& tensor);

  std::size_t rank() const { return dims.size(); }
  std::int64_t dim(std::size_t axis) const { return dims[axis]; }
  std::size_t count() const { return values.size(); }

  /// The numbers as elements of `type`: floats round to nearest even, integers truncate.
  Tensor rounded(ElementType type) const;
};

/// Adds a term that broadcasts to the sum's dims. Throws InputError through `node` when it does not.
void add(const NodeReader& node, RealArray& sum, const RealArray& term);

/// Makes a row of scores the probabilities exp(x) / sum(exp(x)).
void softmax(std::span<double> row);

}  // namespace hone
