#pragma once

#include <vector>

#include "graph/ops/op.h"

// Places in a tensor that another tensor names; shared by the operators that gather and scatter. All throw InputError
// through the node for an index out of range or dims that do not fit.

namespace hone {

/// The elements as indices into `length` things; negative ones count from the end.
std::vector<std::int64_t> indices_within(const NodeReader& node, const Tensor& indices, std::int64_t length);

/// For each element of `indices` the element of the data it names: its own coordinates, but the index along the node's
/// `axis`.
std::vector<std::int64_t> element_places(const NodeReader& node, const Dims& data, const Tensor& indices);

/// First axis of the data beyond those that the tuples in the last axis of `indices` name, after `batch` shared axes.
std::size_t tuple_end(const NodeReader& node, const Shape& data, const Shape& indices, std::size_t batch);

/// For each tuple in the last axis of `indices` the number of the run of elements it names.
std::vector<std::int64_t> tuple_places(const NodeReader& node, const Dims& data, const Tensor& indices,
                                       std::size_t batch);

}  // namespace hone
