#pragma once

#include <span>

#include "graph/ir/tensor.h"
#include "graph/ops/op.h"

namespace hone {

/// The part of a tensor with `first <= index < first + length` on one axis, which must exist and be that long.
Tensor cut(const NodeReader& node, const Tensor& tensor, std::size_t axis, std::int64_t first, std::int64_t length);

/// The part at one index of an axis, without that axis.
Tensor element_along(const NodeReader& node, const Tensor& tensor, std::size_t axis, std::int64_t index);

/// Tensors one after the other along an axis they all have. Throws InputError through `node` when their types or other
/// dimensions differ; there must be at least one.
Tensor join_along(const NodeReader& node, std::span<const Tensor> parts, std::size_t axis);

/// Tensors of equal dims one after the other along a new axis.
Tensor stack_along(const NodeReader& node, std::span<const Tensor> parts, std::size_t axis);

/// A tensor of zeros of the given type; dims that are not known become 0.
Tensor zeros_of(const NodeReader& node, const Type& type);

}  // namespace hone
