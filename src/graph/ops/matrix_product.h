#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "graph/ir/element_type.h"

// The matrix product that matrix multiplication, convolution and the recurrent cells share.

namespace hone {

/// A matrix somewhere in memory: element (i, j) is data[i * row_stride + j * column_stride].
template <class T>
struct MatrixView {
  T* data = nullptr;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 1;

  MatrixView transposed() const { return {data, column_stride, row_stride}; }
};

/// Extents of a product: (rows x inner) times (inner x columns).
struct ProductExtents {
  std::int64_t rows = 0;
  std::int64_t inner = 0;
  std::int64_t columns = 0;
};

namespace detail {

/// A tile of the result that fits in registers, and how many products a tile sums before they go to the wide sum.
inline constexpr std::int64_t kTileRows = 4;
inline constexpr std::int64_t kTileColumns = 8;
inline constexpr std::int64_t kSumBlock = 64;

/// Sums of float products go to double after every block; the others are exact or wide already.
template <class T>
using WideSum = std::conditional_t<std::is_same_v<T, float>, double, T>;

/// Sums a tile: `a` holds kTileRows numbers and `b` kTileColumns numbers for each of `inner` steps.
template <class T>
void tile_product(const T* a, const T* b, std::int64_t inner, WideSum<T> (*sums)[kTileColumns]) {
  typedef T Lanes __attribute__((vector_size(kTileColumns * sizeof(T)), aligned(alignof(T)), may_alias));
  for (std::int64_t start = 0; start < inner; start += kSumBlock) {
    Lanes row0 = {}, row1 = {}, row2 = {}, row3 = {};
    for (std::int64_t k = start; k < std::min(inner, start + kSumBlock); ++k) {
      const Lanes column = *reinterpret_cast<const Lanes*>(b + k * kTileColumns);
      const T* factors = a + k * kTileRows;
      row0 += factors[0] * column;
      row1 += factors[1] * column;
      row2 += factors[2] * column;
      row3 += factors[3] * column;
    }
    for (int c = 0; c < kTileColumns; ++c) {
      sums[0][c] += row0[c];
      sums[1][c] += row1[c];
      sums[2][c] += row2[c];
      sums[3][c] += row3[c];
    }
  }
}

/// Copies `extent` lines of `inner` numbers into tiles of `width` lines, step by step; lines that are missing are zero.
template <class T>
std::vector<T> packed(MatrixView<const T> lines, std::int64_t extent, std::int64_t inner, std::int64_t width) {
  const std::int64_t tiles = (extent + width - 1) / width;
  std::vector<T> pack(static_cast<std::size_t>(tiles * width * inner));
  for (std::int64_t line = 0; line < extent; ++line) {
    T* to = pack.data() + (line / width) * width * inner + line % width;
    const T* from = lines.data + line * lines.row_stride;
    for (std::int64_t k = 0; k < inner; ++k) to[k * width] = from[k * lines.column_stride];
  }
  return pack;
}

}  // namespace detail

/// out = a * b. T is float, double, uint32 or uint64 (integers wrap).
template <class T>
void matrix_product(ProductExtents extents, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> out) {
  using namespace detail;
  const auto [rows, inner, columns] = extents;
  const std::vector<T> left = packed(a, rows, inner, kTileRows);
  for (std::int64_t column = 0; column < columns; column += kTileColumns) {
    const std::int64_t width = std::min(kTileColumns, columns - column);
    const MatrixView<const T> lines = {b.data + column * b.column_stride, b.column_stride, b.row_stride};
    const std::vector<T> right = packed(lines, width, inner, kTileColumns);
    for (std::int64_t row = 0; row < rows; row += kTileRows) {
      WideSum<T> sums[kTileRows][kTileColumns] = {};
      tile_product(left.data() + row * inner, right.data(), inner, sums);
      for (std::int64_t r = 0; r < std::min(kTileRows, rows - row); ++r)
        for (std::int64_t c = 0; c < width; ++c)
          out.data[(row + r) * out.row_stride + (column + c) * out.column_stride] = static_cast<T>(sums[r][c]);
    }
  }
}

/// Calls `visit` with a number of the type in which products of `type` are computed: float for the narrow floats, an
/// unsigned integer (whose arithmetic wraps) for the integers.
template <class Visitor>
decltype(auto) dispatch_product(ElementType type, Visitor&& visit) {
  if (type == ElementType::float64) return visit(double{});
  if (is_floating(type)) return visit(float{});
  if (type == ElementType::int64 || type == ElementType::uint64) return visit(std::uint64_t{});
  return visit(std::uint32_t{});
}

}  // namespace hone
