#include "graph/ops/quantized.h"

#include <algorithm>
#include <cmath>

#include "graph/ops/axes.h"

namespace hone {

std::vector<std::uint32_t> centered(const NodeReader& node, const Tensor& tensor, const Tensor* zero_point) {
  const Numbers<std::uint32_t> elements(tensor);
  std::vector<std::uint32_t> result(elements.view().begin(), elements.view().end());
  if (zero_point == nullptr) return result;
  if (broadcast(node, tensor.dims(), zero_point->dims()) != tensor.dims())
    node.fail("a zero point of shape {} does not fit {}", text_of(zero_point->shape()), text_of(tensor.shape()));
  const Numbers<std::uint32_t> offsets(*zero_point);
  const Dims strides = broadcast_strides(zero_point->dims(), tensor.dims());
  for (StridedWalk walk(tensor.dims(), {&strides}); !walk.done(); walk.next())
    result[walk.position()] -= offsets[walk.offset(0)];
  return result;
}

double quantized(double real, double zero_point, ElementType type) {
  const bool is_signed = type == ElementType::int8;
  return std::clamp(std::nearbyint(real) + zero_point, is_signed ? -128.0 : 0.0, is_signed ? 127.0 : 255.0);
}

}  // namespace hone
