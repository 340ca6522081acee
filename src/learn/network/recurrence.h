#pragma once

#include <cstdint>

#include "learn/network/dense_rows.h"
#include "learn/network/layer.h"

namespace hone {

/// The names of a recurrence's arrays, after what they all begin with.
inline constexpr const char* kRecurrenceArrays[] = {"input", "state", "input_bias", "state_bias"};

/// A gated recurrent unit (Cho et al., "Learning phrase representations using RNN encoder-decoder", 2014) as wide as
/// the rows it reads, one after the other; with gates in the order reset, update, new, as libtorch has them:
///
///   r = sigmoid(I_r x + i_r + S_r s + k_r),  u = sigmoid(I_u x + i_u + S_u s + k_u)
///   n = tanh(I_n x + i_n + r (S_n s + k_n))
///   s = (1 - u) n + u s
class Recurrence {
 public:
  /// Of the arrays whose names begin with `prefix`.
  Recurrence(const LayerArrays& arrays, const std::string& prefix, std::size_t width);

  /// The state after each row, when rows are read in the order of `sequence`, which has each of them once.
  std::vector<float> states(std::span<const float> rows, std::span<const std::uint32_t> sequence) const;

 private:
  std::size_t width_;
  RowProduct input_, state_;
  NamedArray input_bias_, state_bias_;
};

}  // namespace hone
