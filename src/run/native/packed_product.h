#pragma once

#include <memory>
#include <span>
#include <vector>

#include "run/native/tiled_product.h"

namespace hone::native {

/// A product of any matrix with constant weights, which are packed once.
class PackedProduct {
 public:
  using Shape = TiledProduct::Shape;
  /// Where weights are: from element to element of a row of the matrix, and from column to column.
  struct Weights {
    const void* elements = nullptr;  // floats, aligned or not; what lies in a file is given back to it
    std::int64_t depth_stride = 0, column_stride = 0;
    const float* factors = nullptr;  // of the columns, or null
    const float* bias = nullptr;     // of the columns, or null
  };

  /// Whether this processor has code for it.
  static bool is_available() { return product_function(1, 1) != nullptr; }

  PackedProduct(const Shape& shape, const Weights& weights) : PackedProduct(shape) { pack(weights); }
  /// With room for weights, which has not been written yet.
  explicit PackedProduct(const Shape& shape);
  void pack(const Weights& weights);

  const TiledProduct& tiles() const { return tiles_; }
  const Shape& shape() const { return tiles_.shape(); }
  std::size_t weight_bytes() const { return static_cast<std::size_t>(tiles_.weight_floats()) * sizeof(float); }
  std::int64_t parts() const { return tiles_.parts(); }
  /// Weights that a part is begun with, which whatever runs before may fetch.
  std::span<const float> first_weights(std::int64_t part) const { return tiles_.first_weights(weights_.get(), part); }

  /// `operands` without weights and bias.
  void run(TiledProduct::Operands operands, std::int64_t first_part, std::int64_t last_part) const;

 private:
  struct Span {
    std::int64_t first = 0, last = 0;
  };
  void pack_part(const Weights& weights, const TiledProduct::Panel& panel, Span depths, Span columns) const;

  TiledProduct tiles_;
  struct Free {
    void operator()(float* memory) const;
  };
  std::unique_ptr<float, Free> weights_;
  std::vector<float> bias_;
};

}  // namespace hone::native
