#include <numeric>

#include "base/error.h"
#include "zoo/emitter.h"

namespace hone::zoo {

ValueId Emitter::reshape(ValueId x, Integers target) {
  const std::int64_t total = element_count(dims(x));
  Dims result;
  std::int64_t known = 1;
  for (std::size_t i = 0; i < target.size(); ++i) {
    result.push_back(target[i] == 0 ? dim(x, static_cast<std::int64_t>(i)) : target[i]);
    if (result.back() > 0) known *= result.back();
  }
  for (std::int64_t& d : result)
    if (d == -1) d = total / known;
  HONE_CHECK(element_count(result) == total, "reshape of '{}'", graph_.value(x).name);
  return emit("Reshape", {x, integers(target)}, result);
}

ValueId Emitter::transpose(ValueId x, Integers permutation) {
  Dims result;
  for (const std::int64_t axis : permutation) result.push_back(dim(x, axis));
  return emit("Transpose", {x}, result, {{"perm", std::move(permutation)}});
}

ValueId Emitter::transpose_matrix(ValueId x) {
  Integers permutation(static_cast<std::size_t>(rank(x)));
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation[permutation.size() - 1], permutation[permutation.size() - 2]);
  return transpose(x, std::move(permutation));
}

ValueId Emitter::squeeze(ValueId x, Integers axes) {
  std::vector<char> dropped(static_cast<std::size_t>(rank(x)), 0);
  for (const std::int64_t axis : axes) dropped[positive_axis(x, axis)] = 1;
  Dims result;
  for (std::size_t i = 0; i < dropped.size(); ++i)
    if (!dropped[i]) result.push_back(dim(x, static_cast<std::int64_t>(i)));
  return emit("Squeeze", {x, integers(axes)}, result);
}

ValueId Emitter::unsqueeze(ValueId x, Integers axes) {
  const std::size_t result_rank = static_cast<std::size_t>(rank(x)) + axes.size();
  std::vector<char> added(result_rank, 0);
  for (const std::int64_t axis : axes)
    added[static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(result_rank) : axis)] = 1;
  Dims result;
  std::int64_t next = 0;
  for (std::size_t i = 0; i < result_rank; ++i) result.push_back(added[i] ? 1 : dim(x, next++));
  return emit("Unsqueeze", {x, integers(axes)}, result);
}

ValueId Emitter::expand(ValueId x, const Dims& target) {
  return emit("Expand", {x, integers(Integers(target.begin(), target.end()))}, broadcast_dims(dims(x), target));
}

ValueId Emitter::concat(std::span<const ValueId> parts, std::int64_t axis) {
  Dims result = dims(parts[0]);
  std::int64_t& joined = result[positive_axis(parts[0], axis)];
  joined = 0;
  for (const ValueId part : parts) joined += dim(part, axis);
  return emit("Concat", parts, result, {{"axis", axis}});
}

std::vector<ValueId> Emitter::split(ValueId x, std::int64_t axis, const Integers& sizes) {
  std::vector<Dims> results(sizes.size(), dims(x));
  for (std::size_t i = 0; i < sizes.size(); ++i) results[i][positive_axis(x, axis)] = sizes[i];
  HONE_CHECK(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) == dim(x, axis), "split of '{}'",
             graph_.value(x).name);
  const ValueId inputs[] = {x, integers(sizes)};
  return emit_all("Split", inputs, results, {{"axis", axis}});
}

std::vector<ValueId> Emitter::split_evenly(ValueId x, std::int64_t axis, std::int64_t parts) {
  return split(x, axis, Integers(static_cast<std::size_t>(parts), dim(x, axis) / parts));
}

ValueId Emitter::slice(ValueId x, std::int64_t axis, std::int64_t begin, std::int64_t end) {
  Dims result = dims(x);
  std::int64_t& kept = result[positive_axis(x, axis)];
  HONE_CHECK(0 <= begin && begin <= end && end <= kept, "slice {}..{} of {}", begin, end, kept);
  kept = end - begin;
  return emit("Slice", {x, integers({begin}), integers({end}), integers({axis})}, result);
}

ValueId Emitter::gather(ValueId x, ValueId indices, std::int64_t axis) {
  const std::size_t at = positive_axis(x, axis);
  const Dims source = dims(x);
  Dims result(std::span(source.data(), at));
  for (const std::int64_t d : dims(indices)) result.push_back(d);
  for (std::size_t i = at + 1; i < source.size(); ++i) result.push_back(source[i]);
  return emit("Gather", {x, indices}, result, {{"axis", axis}});
}

ValueId Emitter::pad(ValueId x, const Integers& pads) {
  Dims result = dims(x);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] += pads[i] + pads[i + result.size()];
  return emit("Pad", {x, integers(pads)}, result);
}

}  // namespace hone::zoo
