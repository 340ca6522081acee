#pragma once

#include <span>
#include <vector>

#include "run/native/product_kernel.h"

namespace hone::native {

/// A product of two matrices in tiles that the code of `product_kernel.h` computes. What multiplies from the right, the
/// weights, is packed: panels of a few blocks of columns, element after element. Sums go through a row in its order,
/// however rows and columns are shared, so that threads change no bits.
class TiledProduct {
 public:
  /// Sizes, and how rows and blocks of 16 elements of the matrix and of the result lie.
  struct Shape {
    std::int64_t rows = 0, depth = 0, columns = 0;
    std::int64_t a_row = 0, a_block = kProductBlock;
    std::int64_t c_row = 0, c_block = kProductBlock;
    bool fills_blocks = false;  // the last block of the result is whole in memory

    friend bool operator==(const Shape&, const Shape&) = default;
  };
  /// What one product reads and writes.
  struct Operands {
    const float* a = nullptr;
    const float* weights = nullptr;  // packed
    const float* bias = nullptr;     // of all columns, those of whole blocks; or null
    float* c = nullptr;
    std::span<const ProductFinish> finishes;
    std::span<const float> next;  // weights that are needed afterwards: fetched while the last ones here are multiplied
  };
  /// Columns that are computed together, all of them packed one after another.
  struct Panel {
    std::int64_t first_block = 0, blocks = 1;
  };
  /// A matrix that is to be packed: from element to element of a row of the other, and from column to column.
  struct Matrix {
    const float* elements = nullptr;
    std::int64_t depth_stride = 0, column_stride = 0;
  };

  explicit TiledProduct(const Shape& shape);

  const Shape& shape() const { return shape_; }
  std::span<const Panel> panels() const { return panels_; }
  /// Of packed weights, the last block of columns filled up.
  std::int64_t weight_floats() const { return shape_.depth * blocks_ * kProductBlock; }
  std::int64_t padded_columns() const { return blocks_ * kProductBlock; }
  /// Where the columns of a panel for one element of a row lie in packed weights.
  std::int64_t packed_at(const Panel& panel, std::int64_t depth) const;
  /// Packs some panels.
  void pack(const Matrix& matrix, float* packed, std::int64_t first_panel, std::int64_t last_panel) const;

  /// Parts that threads may do by themselves: rows, or where these are few, columns.
  std::int64_t parts() const { return by_columns_ ? static_cast<std::int64_t>(panels_.size()) : shape_.rows; }
  double nanoseconds() const;
  /// Of packed weights, those that a part is begun with.
  std::span<const float> first_weights(const float* packed, std::int64_t part) const;

  void run(const Operands& operands, std::int64_t first_part, std::int64_t last_part) const;

 private:
  struct Span {
    std::int64_t first = 0, last = 0;
    std::int64_t count() const { return last - first; }
  };
  /// What is multiplied at a time: rows from one on by a step of depth of a panel.
  struct Piece {
    std::int64_t row = 0, depth = 0, panel = 0;
  };

  void choose_panels();
  std::int64_t depth_count(std::int64_t depth) const;
  Piece after(Piece piece, Span panels) const;
  std::span<const float> weights_of(const float* packed, const Piece& piece) const;
  /// `call` says what all tiles have in common.
  void run_panel(ProductCall call, const Panel& panel, Span rows, std::span<const float> ahead) const;

  Shape shape_;
  std::int64_t blocks_ = 0;      // of columns
  std::int64_t depth_step_ = 0;  // elements of a row that are gone through at a time
  std::int64_t row_step_ = 0;    // rows whose elements stay in the second cache
  bool by_columns_ = false;
  std::vector<Panel> panels_;
};

}  // namespace hone::native
