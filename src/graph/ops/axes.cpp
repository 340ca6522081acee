#include "graph/ops/axes.h"

#include <algorithm>

namespace hone {

std::size_t normalize_axis(const NodeReader& node, std::int64_t axis, std::size_t rank) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) node.fail("axis {} is out of range for rank {}", axis, rank);
  return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
}

std::vector<std::size_t> normalize_axes(const NodeReader& node, std::span<const std::int64_t> axes, std::size_t rank) {
  std::vector<std::size_t> normalized;
  for (const std::int64_t axis : axes) normalized.push_back(normalize_axis(node, axis, rank));
  std::sort(normalized.begin(), normalized.end());
  if (std::adjacent_find(normalized.begin(), normalized.end()) != normalized.end()) node.fail("an axis is given twice");
  return normalized;
}

Shape broadcast(const NodeReader& node, const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    // Counted from the back.
    const Dim x = i < a.size() ? a[a.size() - 1 - i] : Dim(1);
    const Dim y = i < b.size() ? b[b.size() - 1 - i] : Dim(1);
    Dim& out = result[result.size() - 1 - i];
    if (x == y || y == Dim(1)) out = x;
    else if (x == Dim(1)) out = y;
    else if (x.known() && y.known()) node.fail("shapes {} and {} cannot be broadcast", text_of(a), text_of(b));
    else if (x.known()) out = x;
    else if (y.known()) out = y;
  }
  return result;
}

Dims broadcast(const NodeReader& node, const Dims& a, const Dims& b) {
  Dims result(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) node.fail("dimensions {} and {} cannot be broadcast", x, y);
    result[result.size() - 1 - i] = x == 1 ? y : x;
  }
  return result;
}

Dims strides_of(const Dims& dims) {
  Dims strides(dims.size());
  // Unsigned, because an empty tensor may have dims whose product overflows; its strides are never used.
  std::uint64_t step = 1;
  for (std::size_t i = dims.size(); i-- > 0;) {
    strides[i] = static_cast<std::int64_t>(step);
    step *= static_cast<std::uint64_t>(dims[i]);
  }
  return strides;
}

Dims broadcast_strides(const Dims& dims, const Dims& target) {
  const Dims own = strides_of(dims);
  Dims strides(target.size(), 0);
  const std::size_t lead = target.size() - dims.size();
  for (std::size_t i = 0; i < dims.size(); ++i) strides[lead + i] = dims[i] == 1 ? 0 : own[i];
  return strides;
}

StridedWalk::StridedWalk(const Dims& dims, std::initializer_list<const Dims*> strides)
    : dims_(dims), index_(dims.size(), 0), count_(static_cast<std::size_t>(element_count(dims))) {
  for (const Dims* s : strides) strides_.push_back(*s);
  offsets_.assign(strides_.size(), 0);
}

void StridedWalk::next() {
  ++position_;
  for (std::size_t axis = dims_.size(); axis-- > 0;) {
    const bool carry = ++index_[axis] == dims_[axis];
    if (carry) index_[axis] = 0;
    for (std::size_t k = 0; k < strides_.size(); ++k)
      offsets_[k] += carry ? -strides_[k][axis] * (dims_[axis] - 1) : strides_[k][axis];
    if (!carry) return;
  }
}

}  // namespace hone
