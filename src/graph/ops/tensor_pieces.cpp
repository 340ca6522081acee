#include "graph/ops/tensor_pieces.h"

#include "graph/ops/axes.h"
#include "graph/ops/copy.h"

namespace hone {

Tensor cut(const NodeReader& node, const Tensor& tensor, std::size_t axis, std::int64_t first, std::int64_t length) {
  if (axis >= tensor.rank() || first < 0 || length < 0 || first > tensor.dim(axis) - length)
    node.fail("{} elements from {} on axis {} are outside {}", length, first, axis, text_of(tensor.shape()));
  Dims dims = tensor.dims();
  dims[axis] = length;
  const Dims strides = strides_of(tensor.dims());
  return strided_copy(tensor, dims, {.offset = first * strides[axis], .strides = strides});
}

Tensor element_along(const NodeReader& node, const Tensor& tensor, std::size_t axis, std::int64_t index) {
  Dims dims = tensor.dims();
  const Tensor part = cut(node, tensor, axis, index, 1);
  dims.erase(axis);
  return part.reshaped(dims);
}

Tensor join_along(const NodeReader& node, std::span<const Tensor> parts, std::size_t axis) {
  if (parts.empty()) node.fail("there is nothing to join");
  Dims dims = parts[0].dims();
  if (axis >= dims.size()) node.fail("axis {} is out of range for rank {}", axis, dims.size());
  dims[axis] = 0;
  for (const Tensor& part : parts) {
    Dims others = part.dims();
    if (axis < others.size()) others[axis] = dims[axis];
    if (part.type() != parts[0].type() || !(others == dims))
      node.fail("cannot join {} of {} with {} of {}", name_of(part.type()), text_of(part.shape()),
                name_of(parts[0].type()), text_of(parts[0].shape()));
    if (__builtin_add_overflow(dims[axis], part.dim(axis), &dims[axis])) node.fail("the joined tensor is too large");
  }
  Tensor whole = Tensor::zeros(parts[0].type(), dims);
  BlockPlace target{.offset = 0, .strides = strides_of(dims)};
  for (const Tensor& part : parts) {
    copy_block(part.dims(), whole, target, part, {.offset = 0, .strides = strides_of(part.dims())});
    target.offset += part.dim(axis) * target.strides[axis];
  }
  return whole;
}

Tensor stack_along(const NodeReader& node, std::span<const Tensor> parts, std::size_t axis) {
  std::vector<Tensor> widened;
  for (const Tensor& part : parts) {
    if (axis > part.rank()) node.fail("axis {} is out of range for rank {}", axis, part.rank() + 1);
    Dims dims = part.dims();
    dims.insert(axis, 1);
    widened.push_back(part.reshaped(dims));
  }
  return join_along(node, widened, axis);
}

Tensor zeros_of(const NodeReader& node, const Type& type) {
  if (!type.is_tensor() || type.element == ElementType::undefined)
    node.fail("the type of a body's output is not known");
  Dims dims;
  for (const Dim dim : type.shape) dims.push_back(dim.known() ? dim.value() : 0);
  return Tensor::zeros(type.element, dims);
}

}  // namespace hone
