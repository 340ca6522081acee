#pragma once

#include <functional>
#include <vector>

#include "learn/train/combine.h"
#include "learn/train/product.h"

namespace hone::learn {

/// A matrix of a tensor of two dimensions that lies together.
template <class T>
MatrixView<T> view(const torch::Tensor& tensor) {
  using Plain = std::remove_const_t<T>;
  return {tensor.data_ptr<Plain>(), tensor.size(0), tensor.size(1), tensor.size(1)};
}

/// Runs `body(first, last)` for rows on all threads, so few at a time that all of theirs stays in the cache.
void for_blocks(std::int64_t rows, const std::function<void(std::int64_t, std::int64_t)>& body);

/// What `combine` does to rows, some of them at a time. Tensors lie together.
template <class T>
class DenseForward {
 public:
  DenseForward(std::vector<Term> terms, torch::Tensor bias, Activation activation);

  const torch::Tensor& result() const { return result_; }
  /// Fills some rows of the result.
  void fill(std::int64_t first, std::int64_t last) const;
  /// Fills all of them.
  torch::Tensor run() const;

 private:
  std::vector<Term> terms_;
  torch::Tensor bias_, result_;
  Activation activation_;
  std::vector<PackedMatrix<T>> packed_;
};

/// Where the gradient of the rows of a term goes to.
struct RowGradient {
  torch::Tensor to;    // nothing: it is not wanted
  bool added = false;  // to what stands there
};

/// Gradients of all that goes into a combination.
struct Gradients {
  std::vector<torch::Tensor> weights;
  torch::Tensor bias;
};

/// The gradient of the sums that go into an activation.
template <class T>
struct SumGradient {
  /// That of some rows; it is valid until the thread asks again.
  std::function<MatrixView<const T>(std::int64_t first, std::int64_t last)> rows;
  /// Names the memory that some rows are going to need.
  std::function<void(std::int64_t first, std::int64_t last, Ahead& ahead)> look_ahead;
};

/// The gradient of a result without activation is that of its sums.
template <class T>
SumGradient<T> of_sum(const torch::Tensor& gradient);

/// The gradient of a result of ReLU, where that is positive, becomes that of what went in.
template <class T>
SumGradient<T> of_relu(const torch::Tensor& gradient, const torch::Tensor& result);

/// Fills or adds to the gradients of rows and returns the others: the same on any number of threads.
template <class T>
Gradients dense_backward(const std::vector<Term>& terms, const std::vector<RowGradient>& rows,
                         const SumGradient<T>& gradient);

}  // namespace hone::learn
