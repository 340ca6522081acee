#pragma once

#include "learn/network/dense_rows.h"
#include "learn/network/layer.h"

namespace hone {

/// W x + b for many rows.
class LinearMap {
 public:
  /// Of the arrays `weight` and `bias` whose names begin with `prefix`.
  explicit LinearMap(const LayerArrays& arrays, const std::string& prefix = "")
      : weight_(arrays.at(prefix + "weight")), bias_(arrays.at(prefix + "bias")) {}

  std::vector<float> of(std::span<const float> rows, std::size_t count) const {
    std::vector<float> out = repeated(bias_, count);
    weight_.add_rows(rows, out);
    return out;
  }

 private:
  RowProduct weight_;
  NamedArray bias_;
};

}  // namespace hone
