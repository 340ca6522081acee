#include "learn/product.h"

#include <algorithm>

#include "learn/vectorised.h"

namespace hone::learn {
namespace {

constexpr std::int64_t kRows = 6;  // of a tile: with so many, and four vectors side by side, sums stay in registers

/// Adds the first rows of the left factor times some columns of the right one, `Vectors` vectors wide.
template <int Rows, int Vectors, int Bytes, class T>
HONE_INLINED inline void add_tile(const MatrixView<const T>& left, const T* panel, const MatrixView<T>& out) {
  typedef T Vector __attribute__((vector_size(Bytes), aligned(sizeof(T)), may_alias));
  constexpr std::int64_t kLanes = Bytes / static_cast<int>(sizeof(T));
  Vector sums[Rows][Vectors] = {};
  for (std::int64_t step = 0; step < left.columns; ++step) {
    const T* right = panel + step * PackedMatrix<T>::kPanel;
    const T* value = left.begin + step * left.column;
    for (int row = 0; row < Rows; ++row)
      for (int i = 0; i < Vectors; ++i)
        sums[row][i] += value[row * left.row] * *reinterpret_cast<const Vector*>(right + i * kLanes);
  }
  if (out.columns >= Vectors * kLanes) {
    for (int row = 0; row < Rows; ++row)
      for (int i = 0; i < Vectors; ++i)
        *reinterpret_cast<Vector*>(out.begin + row * out.row + i * kLanes) += sums[row][i];
    return;
  }
  T spilled[Rows * Vectors * kLanes];
  for (int row = 0; row < Rows; ++row)
    for (int i = 0; i < Vectors; ++i)
      *reinterpret_cast<Vector*>(spilled + (row * Vectors + i) * kLanes) = sums[row][i];
  for (int row = 0; row < Rows; ++row)
    for (std::int64_t i = 0; i < out.columns; ++i) out.begin[row * out.row + i] += spilled[row * Vectors * kLanes + i];
}

/// Adds all rows of some columns.
template <int Vectors, int Bytes, class T>
HONE_INLINED inline void add_columns(const MatrixView<const T>& left, const T* panel, const MatrixView<T>& out) {
  std::int64_t row = 0;
  for (; row + kRows <= left.rows; row += kRows)
    add_tile<kRows, Vectors, Bytes>(left.slice(row, left.rows), panel, out.slice(row, out.rows));
  for (; row + 2 <= left.rows; row += 2)
    add_tile<2, Vectors, Bytes>(left.slice(row, left.rows), panel, out.slice(row, out.rows));
  if (row < left.rows) add_tile<1, Vectors, Bytes>(left.slice(row, left.rows), panel, out.slice(row, out.rows));
}

}  // namespace

template <class T>
void PackedMatrix<T>::pack(const MatrixView<const T>& matrix) {
  rows_ = matrix.rows;
  columns_ = matrix.columns;
  const std::int64_t panels = (columns_ + kPanel - 1) / kPanel;
  lines_.resize(static_cast<std::size_t>(panels * kPanel * rows_) * sizeof(T) / sizeof(Line));
  for (std::int64_t first = 0; first < columns_; first += kPanel) {
    T* to = lines_.data()->values + first * rows_;
    const std::int64_t count = std::min(kPanel, columns_ - first);
    for (std::int64_t row = 0; row < rows_; ++row, to += kPanel) {
      const T* from = matrix.begin + row * matrix.row + first * matrix.column;
      if (matrix.column == 1) std::copy(from, from + count, to);
      else
        for (std::int64_t i = 0; i < count; ++i) to[i] = from[i * matrix.column];
      std::fill(to + count, to + kPanel, T{0});
    }
  }
}

template <class T>
void add_product(const MatrixView<const T>& left, const PackedMatrix<T>& right, const MatrixView<T>& out) {
  vectorised([&](auto width) HONE_INLINED {
    constexpr int kBytes = static_cast<int>(decltype(width)::value) / 8;
    constexpr int kVectors = decltype(width)::value == VectorBits::avx512 ? 4 : 2;
    constexpr std::int64_t kStep = kVectors * kBytes / static_cast<int>(sizeof(T));
    for (std::int64_t first = 0; first < out.columns; first += PackedMatrix<T>::kPanel)
      for (std::int64_t part = 0; part < std::min(PackedMatrix<T>::kPanel, out.columns - first); part += kStep) {
        const std::int64_t column = first + part;
        const MatrixView<T> columns{out.begin + column, out.rows, out.columns - column, out.row};
        add_columns<kVectors, kBytes>(left, right.panel(first) + part, columns);
      }
  });
}

template class PackedMatrix<float>;
template class PackedMatrix<double>;
template void add_product(const MatrixView<const float>&, const PackedMatrix<float>&, const MatrixView<float>&);
template void add_product(const MatrixView<const double>&, const PackedMatrix<double>&, const MatrixView<double>&);

}  // namespace hone::learn
