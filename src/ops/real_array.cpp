#include "ops/real_array.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "ops/axes.h"

namespace hone {
namespace {

template <class T>
T rounded_to(double value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<T>) {
    const double nearest = std::nearbyint(value);
    if (std::isnan(nearest)) return 0;
    // The greatest 64-bit integers have no double; anything from there on saturates.
    if (nearest >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
    if (nearest <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
    return static_cast<T>(nearest);
  } else if constexpr (std::is_same_v<T, double>) {
    return value;
  } else {
    return T(static_cast<float>(value));
  }
}

}  // namespace

RealArray RealArray::of(const Tensor& tensor) {
  RealArray array(tensor.dims());
  dispatch_number(tensor.type(), [&](auto zero) {
    using T = decltype(zero);
    const std::span<const T> source = tensor.values<T>();
    for (std::size_t i = 0; i < source.size(); ++i) array.values[i] = static_cast<double>(source[i]);
  });
  return array;
}

Tensor RealArray::rounded(ElementType type) const {
  Tensor tensor = Tensor::zeros(type, dims);
  dispatch_number(type, [&](auto zero) {
    using T = decltype(zero);
    const std::span<T> target = tensor.write<T>();
    for (std::size_t i = 0; i < target.size(); ++i) target[i] = rounded_to<T>(values[i]);
  });
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
