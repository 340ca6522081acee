#pragma once

#include <cstdint>
#include <vector>

#include "learn/train/ahead.h"
#include "learn/train/matrix_view.h"

namespace hone::learn {

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
