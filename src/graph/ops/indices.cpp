#include "graph/ops/indices.h"

#include "graph/ops/axes.h"

namespace hone {
namespace {

std::int64_t index_within(const NodeReader& node, std::int64_t index, std::int64_t length) {
  if (index < -length || index >= length) node.fail("index {} is out of range for a dimension of {}", index, length);
  return index < 0 ? index + length : index;
}

}  // namespace

std::vector<std::int64_t> indices_within(const NodeReader& node, const Tensor& indices, std::int64_t length) {
  std::vector<std::int64_t> all = indices.integers();
  for (std::int64_t& index : all) index = index_within(node, index, length);
  return all;
}

std::vector<std::int64_t> element_places(const NodeReader& node, const Dims& data, const Tensor& indices) {
  if (indices.rank() != data.size()) node.fail("indices have rank {}, the data {}", indices.rank(), data.size());
  const std::size_t axis = normalize_axis(node, node.integer("axis"), data.size());
  for (std::size_t i = 0; i < data.size(); ++i)
    if (i != axis && indices.dim(i) > data[i]) node.fail("indices are longer than the data along axis {}", i);
  Dims strides = strides_of(data);
  const std::int64_t axis_stride = strides[axis];
  strides[axis] = 0;
  std::vector<std::int64_t> places = indices_within(node, indices, data[axis]);
  for (StridedWalk walk(indices.dims(), {&strides}); !walk.done(); walk.next()) {
    std::int64_t& place = places[walk.position()];
    place = place * axis_stride + static_cast<std::int64_t>(walk.offset(0));
  }
  return places;
}

std::size_t tuple_end(const NodeReader& node, const Shape& data, const Shape& indices, std::size_t batch) {
  const auto named_max = static_cast<std::int64_t>(data.size() - batch);
  const Dim named = indices.back();
  if (!named.known() || named.value() < 1 || named.value() > named_max)
    node.fail("indices {} do not name axes of {}", text_of(indices), text_of(data));
  for (std::size_t i = 0; i < batch; ++i)
    if (data[i].known() && indices[i].known() && data[i] != indices[i]) node.fail("batch axis {} differs", i);
  return batch + static_cast<std::size_t>(named.value());
}

std::vector<std::int64_t> tuple_places(const NodeReader& node, const Dims& data, const Tensor& indices,
                                       std::size_t batch) {
  const auto named = static_cast<std::size_t>(indices.dims().back());
  std::int64_t batches = 1, tuples = 1;
  for (std::size_t i = 0; i + 1 < indices.rank(); ++i) (i < batch ? batches : tuples) *= indices.dim(i);
  if (batches * tuples == 0) return {};
  std::vector<std::int64_t> places;
  places.reserve(static_cast<std::size_t>(batches * tuples));
  std::size_t next = 0;
  for (std::int64_t tuple = 0; tuple < batches * tuples; ++tuple) {
    std::int64_t place = tuple / tuples;
    for (std::size_t i = 0; i < named; ++i)
      place = place * data[batch + i] + index_within(node, indices.integer_at(next++), data[batch + i]);
    places.push_back(place);
  }
  return places;
}

}  // namespace hone
