#pragma once

#include <memory>
#include <span>
#include <vector>

#include "run/native/product_kernel.h"

namespace hone::native {

/// A product of any matrix with constant weights, which are packed once for the code of `product_kernel.h`. Sums go
/// through a row in its order, however rows and columns are shared, so that threads change no bits.
class PackedProduct {
 public:
  /// Sizes, and how rows and blocks of 16 elements of the matrix and of the result lie.
  struct Shape {
    std::int64_t rows = 0, depth = 0, columns = 0;
    std::int64_t a_row = 0, a_block = kProductBlock;
    std::int64_t c_row = 0, c_block = kProductBlock;
    bool fills_blocks = false;  // the last block of the result is whole in memory

    friend bool operator==(const Shape&, const Shape&) = default;
  };
  /// Where weights are: from element to element of a row of the matrix, and from column to column.
  struct Weights {
    const void* elements = nullptr;  // floats, aligned or not; what lies in a file is given back to it
    std::int64_t depth_stride = 0, column_stride = 0;
    const float* bias = nullptr;  // of the columns, or null
  };

  /// Whether this processor has code for it.
  static bool is_available() { return product_function(1, 1) != nullptr; }

  PackedProduct(const Shape& shape, const Weights& weights) : PackedProduct(shape) { pack(weights); }
  /// Without weights yet.
  explicit PackedProduct(const Shape& shape);
  void pack(const Weights& weights);

  const Shape& shape() const { return shape_; }
  /// Of packed weights, the last block of columns filled up.
  std::size_t weight_bytes() const {
    return static_cast<std::size_t>(shape_.depth * blocks_ * kProductBlock) * sizeof(float);
  }
  /// Parts that threads may do by themselves: rows, or where these are few, columns.
  std::int64_t parts() const { return by_columns_ ? static_cast<std::int64_t>(panels_.size()) : shape_.rows; }
  double nanoseconds() const;

  void run(const float* a, float* c, std::span<const ProductFinish> finishes, std::int64_t first_part,
           std::int64_t last_part) const;

 private:
  /// Columns that are computed together, all of them packed one after another.
  struct Panel {
    std::int64_t first_block = 0, blocks = 1;
  };
  struct Span {
    std::int64_t first = 0, last = 0;
    std::int64_t count() const { return last - first; }
  };

  void choose_panels();
  void pack_part(const Weights& weights, const Panel& panel, Span depths, Span columns) const;
  float* packed(std::int64_t depth, std::int64_t depth_count, const Panel& panel) const;
  /// `call` says what all tiles have in common.
  void run_panel(ProductCall call, const Panel& panel, Span rows) const;

  Shape shape_;
  std::int64_t blocks_ = 0;      // of columns
  std::int64_t depth_step_ = 0;  // elements of a row that are gone through at a time
  std::int64_t row_step_ = 0;    // rows whose elements stay in the second cache
  bool by_columns_ = false;
  std::vector<Panel> panels_;
  struct Free {
    void operator()(float* memory) const;
  };
  std::unique_ptr<float, Free> weights_;
  std::vector<float> bias_;
};

}  // namespace hone::native
