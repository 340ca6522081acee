#pragma once

#include <cstdint>

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

}  // namespace hone::learn
