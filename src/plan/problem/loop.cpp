#include "plan/problem/loop.h"

#include <algorithm>

namespace hone {

Access access_of(std::span<const std::int64_t> stretched, std::span<const std::int64_t> sizes) {
  if (stretched.size() != sizes.size()) return Access::other;
  bool is_stretched = false, is_row = true;
  double elements = 1;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (stretched[i] != sizes[i]) {
      if (stretched[i] != 1) return Access::other;
      is_stretched = true;
    } else if (sizes[i] > 1 && is_stretched) {
      is_row = false;  // neighbours read different elements, which come again later
    }
    elements *= static_cast<double>(stretched[i]);
  }
  if (!is_stretched) return Access::same;
  return is_row && elements > 1 ? Access::row : Access::other;
}

bool keeps_order(std::span<const std::int64_t> order, std::span<const std::int64_t> sizes) {
  // Axes of length 1 may stand anywhere.
  std::int64_t last = -1;
  for (const std::int64_t axis : order) {
    if (sizes[static_cast<std::size_t>(axis)] == 1) continue;
    if (axis <= last) return false;
    last = axis;
  }
  return true;
}

Loop map_loop(double points, std::vector<Access> reads) {
  return {.kind = Loop::Kind::map, .points = points, .rows = points, .results = points, .reads = std::move(reads)};
}

Loop contraction_loop(double points, std::size_t inputs) {
  Loop loop = map_loop(points, std::vector<Access>(inputs, Access::other));
  loop.kind = Loop::Kind::contraction;
  return loop;
}

Loop fold_loop(std::span<const std::int64_t> sizes, const std::vector<bool>& folded, std::vector<Access> reads) {
  double points = 1, rows = 1;
  bool seen_folded = false, at_end = true;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    points *= static_cast<double>(sizes[i]);
    if (!folded[i]) rows *= static_cast<double>(sizes[i]);
    if (sizes[i] == 1) continue;  // neither folded nor in the way
    if (folded[i]) seen_folded = true;
    else if (seen_folded) at_end = false;
  }
  if (!seen_folded) return map_loop(points, std::move(reads));
  return {.kind = at_end ? Loop::Kind::rows : Loop::Kind::columns,
          .points = points,
          .rows = rows,
          .results = rows,
          .reads = std::move(reads)};
}

Loop row_loop(std::span<const std::int64_t> sizes, const std::vector<bool>& in_row, std::vector<Access> reads) {
  Loop loop = fold_loop(sizes, in_row, std::move(reads));
  if (loop.kind == Loop::Kind::columns) return {};
  loop.results = loop.points;
  return loop;
}

}  // namespace hone
