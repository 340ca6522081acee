#include "learn/train/product.h"

#include <algorithm>

#include "learn/network/vectorised.h"

namespace hone::learn {
namespace {

constexpr std::int64_t kRows = 6;  // of a tile: with so many, and four vectors side by side, sums stay in registers

/// What is left to do of a product: rows of the left factor, and where sums begin and go to.
template <class T>
struct Part {
  MatrixView<const T> start, left;
  MatrixView<T> out;

  Part from_row(std::int64_t row) const {
    return {start.slice(row, start.rows), left.slice(row, left.rows), out.slice(row, out.rows)};
  }
};

/// Fills a tile of fewer columns than its vectors have: sums come by way of memory.
template <int Rows, class T>
void fill_narrow(const Part<T>& part, const T* sums, std::int64_t columns) {
  for (int row = 0; row < Rows; ++row)
    for (std::int64_t i = 0; i < part.out.columns; ++i)
      part.out.begin[row * part.out.row + i] = part.start.begin[row * part.start.row + i] + sums[row * columns + i];
}

/// The first rows of a part times some columns of the right factor, `Vectors` vectors wide.
template <int Rows, int Vectors, int Bytes, class T>
HONE_INLINED inline void fill_tile(const Part<T>& part, const T* panel, Ahead& ahead) {
  typedef T Vector __attribute__((vector_size(Bytes), aligned(sizeof(T)), may_alias));
  constexpr std::int64_t kLanes = Bytes / static_cast<int>(sizeof(T));
  const MatrixView<const T>& left = part.left;
  const char* soon = ahead.take(left.columns, panel);
  Vector sums[Rows][Vectors] = {};
  for (std::int64_t step = 0; step < left.columns; ++step) {
    const T* right = panel + step * PackedMatrix<T>::kPanel;
    const T* value = left.begin + step * left.column;
    __builtin_prefetch(soon + step * Ahead::kBytesPerStep, 0, 2);
    for (int row = 0; row < Rows; ++row)
      for (int i = 0; i < Vectors; ++i)
        sums[row][i] += value[row * left.row] * *reinterpret_cast<const Vector*>(right + i * kLanes);
  }
  if (part.out.columns < Vectors * kLanes) {
    T values[Rows * Vectors * kLanes];
    for (int row = 0; row < Rows; ++row)
      for (int i = 0; i < Vectors; ++i)
        *reinterpret_cast<Vector*>(values + (row * Vectors + i) * kLanes) = sums[row][i];
    return fill_narrow<Rows>(part, values, Vectors * kLanes);
  }
  for (int row = 0; row < Rows; ++row)
    for (int i = 0; i < Vectors; ++i)
      *reinterpret_cast<Vector*>(part.out.begin + row * part.out.row + i * kLanes) =
          *reinterpret_cast<const Vector*>(part.start.begin + row * part.start.row + i * kLanes) + sums[row][i];
}

/// All rows of some columns.
template <int Vectors, int Bytes, class T>
HONE_INLINED inline void fill_columns(const Part<T>& part, const T* panel, Ahead& ahead) {
  const std::int64_t rows = part.left.rows;
  std::int64_t row = 0;
  for (; row + kRows <= rows; row += kRows) fill_tile<kRows, Vectors, Bytes>(part.from_row(row), panel, ahead);
  for (; row + 2 <= rows; row += 2) fill_tile<2, Vectors, Bytes>(part.from_row(row), panel, ahead);
  if (row < rows) fill_tile<1, Vectors, Bytes>(part.from_row(row), panel, ahead);
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
void add_product(const MatrixView<const T>& start, const MatrixView<const T>& left, const PackedMatrix<T>& right,
                 const MatrixView<T>& out, Ahead& ahead) {
  vectorised([&](auto width) HONE_INLINED {
    constexpr int kBytes = static_cast<int>(decltype(width)::value) / 8;
    constexpr int kVectors = decltype(width)::value == VectorBits::avx512 ? 4 : 2;
    constexpr std::int64_t kStep = kVectors * kBytes / static_cast<int>(sizeof(T));
    for (std::int64_t first = 0; first < out.columns; first += PackedMatrix<T>::kPanel)
      for (std::int64_t part = 0; part < std::min(PackedMatrix<T>::kPanel, out.columns - first); part += kStep) {
        const std::int64_t column = first + part;
        const Part<T> columns{start.from_column(column), left, out.from_column(column)};
        fill_columns<kVectors, kBytes>(columns, right.panel(first) + part, ahead);
      }
  });
}

template class PackedMatrix<float>;
template class PackedMatrix<double>;
template void add_product(const MatrixView<const float>&, const MatrixView<const float>&, const PackedMatrix<float>&,
                          const MatrixView<float>&, Ahead&);
template void add_product(const MatrixView<const double>&, const MatrixView<const double>&, const PackedMatrix<double>&,
                          const MatrixView<double>&, Ahead&);

}  // namespace hone::learn
