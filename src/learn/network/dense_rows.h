#pragma once

#include <span>
#include <vector>

#include "learn/network/safetensors.h"

namespace hone {

/// A matrix as it is multiplied fastest by rows from the left: transposed, so that results lie side by side.
class RowProduct {
 public:
  RowProduct() = default;
  /// `weight`: results by columns.
  explicit RowProduct(const NamedArray& weight);

  std::size_t results() const { return results_; }
  /// sums += row * weight^T.
  void add(const float* row, float* __restrict sums) const {
    for (std::size_t j = 0; j < columns_; ++j) {
      const float value = row[j];
      const float* line = transposed_.data() + j * results_;
      for (std::size_t i = 0; i < results_; ++i) sums[i] += value * line[i];
    }
  }
  /// The same for many rows.
  void add_rows(std::span<const float> rows, std::vector<float>& sums) const;

 private:
  std::size_t columns_ = 0, results_ = 0;
  std::vector<float> transposed_;
};

/// So many rows that are all the same.
std::vector<float> repeated(const NamedArray& row, std::size_t rows);

}  // namespace hone
