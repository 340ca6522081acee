#pragma once

#include <cstdint>
#include <vector>

#include "learn/ahead.h"

namespace hone::learn {

/// A matrix where it lies, by the distances of its rows and columns.
template <class T>
struct MatrixView {
  T* begin = nullptr;
  std::int64_t rows = 0, columns = 0;
  std::int64_t row = 0, column = 1;  // from one to the next

  MatrixView transposed() const { return {begin, columns, rows, column, row}; }
  /// Some of the rows.
  MatrixView slice(std::int64_t first, std::int64_t last) const {
    return {begin + first * row, last - first, columns, row, column};
  }
  MatrixView from_column(std::int64_t first) const {
    return {begin + first * column, rows, columns - first, row, column};
  }
  MatrixView<const T> constant() const { return {begin, rows, columns, row, column}; }
};

/// The right factor of products, laid out as they read it.
template <class T>
class PackedMatrix {
 public:
  void pack(const MatrixView<const T>& matrix);

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  /// Some columns side by side, a row after another; all that is beyond the matrix is 0.
  const T* panel(std::int64_t first_column) const { return lines_.data()->values + first_column * rows_; }
  /// Columns of a panel.
  static constexpr std::int64_t kPanel = 64;

 private:
  /// Memory in the lines of the cache: a vector that lies across two of them takes twice as long to read.
  struct alignas(64) Line {
    T values[64 / sizeof(T)];
  };

  std::int64_t rows_ = 0, columns_ = 0;
  std::vector<Line> lines_;
};

/// out = start + left * right. `start` has the shape of `out` and may be `out` itself, or one row for all (which then
/// are 0 apart); rows of both lie together. Made for tall matrices and factors of some hundred rows: on one thread, so
/// that callers split the rows and everything else that is done to them stays in the cache.
template <class T>
void add_product(const MatrixView<const T>& start, const MatrixView<const T>& left, const PackedMatrix<T>& right,
                 const MatrixView<T>& out, Ahead& ahead);

}  // namespace hone::learn
