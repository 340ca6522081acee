#include "ops/tensor_pieces.h"

#include <algorithm>
#include <cstring>

namespace hone {
namespace {

/// A tensor seen from one axis: `outer` rows of `extent` blocks of `inner` elements.
struct AxisView {
  std::size_t outer = 1;
  std::size_t extent = 1;
  std::size_t inner = 1;
};

AxisView view_along(const Dims& dims, std::size_t axis) {
  AxisView view;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    std::size_t& part = i < axis ? view.outer : i == axis ? view.extent : view.inner;
    part *= static_cast<std::size_t>(dims[i]);
  }
  return view;
}

/// A run of elements that moves from one place to another.
struct Run {
  std::size_t from = 0;
  std::size_t to = 0;
  std::size_t count = 0;
};

void copy_run(const Tensor& source, Tensor& target, const Run& run) {
  if (source.type() == ElementType::string) {
    const auto from = source.strings().subspan(run.from, run.count);
    std::copy(from.begin(), from.end(), target.write<std::string>().begin() + static_cast<std::ptrdiff_t>(run.to));
    return;
  }
  const std::size_t width = static_cast<std::size_t>(bit_width(source.type())) / 8;
  if (run.count != 0)
    std::memcpy(target.write_bytes().data() + run.to * width, source.bytes().data() + run.from * width,
                run.count * width);
}

void require_whole_bytes(const NodeReader& node, ElementType type) {
  if (type != ElementType::string && bit_width(type) < 8)
    node.fail("elements of type {} cannot be moved here", name_of(type));
}

}  // namespace

Tensor cut(const NodeReader& node, const Tensor& tensor, std::size_t axis, std::int64_t first, std::int64_t length) {
  require_whole_bytes(node, tensor.type());
  if (axis >= tensor.rank() || first < 0 || length < 0 || first > tensor.dim(axis) - length)
    node.fail("elements {} to {} of axis {} are outside {}", first, first + length, axis, text_of(tensor.shape()));
  Dims dims = tensor.dims();
  dims[axis] = length;
  Tensor part = Tensor::zeros(tensor.type(), dims);
  const AxisView view = view_along(tensor.dims(), axis);
  const std::size_t count = static_cast<std::size_t>(length) * view.inner;
  for (std::size_t row = 0; row < view.outer; ++row) {
    const std::size_t from = (row * view.extent + static_cast<std::size_t>(first)) * view.inner;
    copy_run(tensor, part, {.from = from, .to = row * count, .count = count});
  }
  return part;
}

Tensor element_along(const NodeReader& node, const Tensor& tensor, std::size_t axis, std::int64_t index) {
  Dims dims = tensor.dims();
  const Tensor part = cut(node, tensor, axis, index, 1);
  dims.erase(axis);
  return part.reshaped(dims);
}

Tensor join_along(const NodeReader& node, std::span<const Tensor> parts, std::size_t axis) {
  if (parts.empty()) node.fail("there is nothing to join");
  const ElementType type = parts[0].type();
  require_whole_bytes(node, type);
  Dims dims = parts[0].dims();
  if (axis >= dims.size()) node.fail("axis {} is out of range for rank {}", axis, dims.size());
  dims[axis] = 0;
  for (const Tensor& part : parts) {
    Dims others = part.dims();
    if (axis < others.size()) others[axis] = dims[axis];
    if (part.type() != type || !(others == dims))
      node.fail("cannot join {} of {} with {} of {}", name_of(part.type()), text_of(part.shape()), name_of(type),
                text_of(parts[0].shape()));
    if (__builtin_add_overflow(dims[axis], part.dim(axis), &dims[axis])) node.fail("the joined tensor is too large");
  }
  Tensor whole = Tensor::zeros(type, dims);
  const AxisView view = view_along(dims, axis);
  std::size_t before = 0;
  for (const Tensor& part : parts) {
    const std::size_t count = static_cast<std::size_t>(part.dim(axis)) * view.inner;
    for (std::size_t row = 0; row < view.outer; ++row)
      copy_run(part, whole, {.from = row * count, .to = row * view.extent * view.inner + before, .count = count});
    before += count;
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
