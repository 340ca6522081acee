#include "learn/network/dense_rows.h"

#include "learn/network/vectorised.h"

namespace hone {

RowProduct::RowProduct(const NamedArray& weight)
    : columns_(weight.shape[1]), results_(weight.shape[0]), transposed_(columns_ * results_) {
  for (std::size_t i = 0; i < results_; ++i)
    for (std::size_t j = 0; j < columns_; ++j) transposed_[j * results_ + i] = weight.values[i * columns_ + j];
}

void RowProduct::add_rows(std::span<const float> rows, std::vector<float>& sums) const {
  const std::size_t columns = columns_, results = results_, count = columns == 0 ? 0 : rows.size() / columns;
  const float *read = rows.data(), *weight = transposed_.data();
  float* written = sums.data();
  vectorised([=](auto) HONE_INLINED {
    for (std::size_t row = 0; row < count; ++row) {
      float* __restrict sum = written + row * results;
      for (std::size_t j = 0; j < columns; ++j) {
        const float value = read[row * columns + j];
        const float* line = weight + j * results;
        for (std::size_t i = 0; i < results; ++i) sum[i] += value * line[i];
      }
    }
  });
}

std::vector<float> repeated(const NamedArray& row, std::size_t rows) {
  std::vector<float> out;
  out.reserve(rows * row.values.size());
  for (std::size_t i = 0; i < rows; ++i) out.insert(out.end(), row.values.begin(), row.values.end());
  return out;
}

}  // namespace hone
