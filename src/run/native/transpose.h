#pragma once

// Squares of a matrix with rows and columns exchanged; included by files that are compiled for different processors, so
// that everything here is internal to them.

#include <cstdint>
#include <cstring>

namespace hone::native {
namespace {

using Four = float __attribute__((vector_size(16)));

inline Four load_four(const float* from) {
  Four four;
  std::memcpy(&four, from, sizeof four);
  return four;
}
inline void store_four(float* to, Four four) { std::memcpy(to, &four, sizeof four); }

/// to[r * to_stride + c] = from[c * from_stride + r] for four rows and columns.
inline void transpose_four(const float* from, std::int64_t from_stride, float* to, std::int64_t to_stride) {
  const Four a = load_four(from), b = load_four(from + from_stride), c = load_four(from + 2 * from_stride),
             d = load_four(from + 3 * from_stride);
  const Four ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Four cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  store_four(to, __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5));
  store_four(to + to_stride, __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7));
  store_four(to + 2 * to_stride, __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5));
  store_four(to + 3 * to_stride, __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7));
}

/// to[r * to_stride + c] = from[c * from_stride + r].
inline void transpose(const float* from, std::int64_t from_stride, float* to, std::int64_t to_stride, std::int64_t rows,
                      std::int64_t columns) {
  std::int64_t row = 0;
  for (; row + 4 <= rows; row += 4) {
    std::int64_t column = 0;
    for (; column + 4 <= columns; column += 4)
      transpose_four(from + column * from_stride + row, from_stride, to + row * to_stride + column, to_stride);
    for (; column < columns; ++column)
      for (std::int64_t r = row; r < row + 4; ++r) to[r * to_stride + column] = from[column * from_stride + r];
  }
  for (; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column)
      to[row * to_stride + column] = from[column * from_stride + row];
}

/// The same in strips of sixteen rows, a line of memory of the source each.
inline void transpose_strips(const float* from, std::int64_t from_stride, float* to, std::int64_t to_stride,
                             std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kStrip = 16, kDepth = 64;
  for (std::int64_t column = 0; column < columns; column += kDepth)
    for (std::int64_t row = 0; row < rows; row += kStrip)
      transpose(from + column * from_stride + row, from_stride, to + row * to_stride + column, to_stride,
                rows - row < kStrip ? rows - row : kStrip, columns - column < kDepth ? columns - column : kDepth);
}

}  // namespace
}  // namespace hone::native
