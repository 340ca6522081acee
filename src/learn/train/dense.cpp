#include "learn/train/dense.h"

#include <algorithm>
#include <utility>

#include "learn/network/vectorised.h"
#include "learn/train/recycled.h"

namespace hone::learn {
namespace {

constexpr std::int64_t kBlock = 120;      // rows that are in the cache at a time
constexpr std::int64_t kMostChunks = 32;  // of rows with a sum of gradients of their own
constexpr std::int64_t kLeastChunk = 8 * kBlock;

/// One row as if it were many.
template <class T>
MatrixView<const T> repeated(const T* row, std::int64_t rows, std::int64_t columns) {
  return {row, rows, columns, 0};
}

template <class T>
void keep_positive(T* values, std::int64_t count) {
  vectorised([=](auto) HONE_INLINED {
    for (std::int64_t i = 0; i < count; ++i) values[i] = values[i] > 0 ? values[i] : 0;
  });
}

template <class T>
void add_columns(const MatrixView<const T>& matrix, T* sums) {
  vectorised([=](auto) HONE_INLINED {
    T* __restrict sum = sums;
    for (std::int64_t row = 0; row < matrix.rows; ++row)
      for (std::int64_t i = 0; i < matrix.columns; ++i) sum[i] += matrix.begin[row * matrix.row + i];
  });
}

/// The gradient where the result is positive; it is valid until the thread asks again.
template <class T>
MatrixView<const T> where_positive(const MatrixView<const T>& gradient, const MatrixView<const T>& result) {
  thread_local std::vector<T> masked;
  const std::int64_t count = gradient.rows * gradient.columns;
  masked.resize(static_cast<std::size_t>(count));
  vectorised([given = gradient.begin, signs = result.begin, to = masked.data(), count](auto) HONE_INLINED {
    T* __restrict out = to;
    for (std::int64_t i = 0; i < count; ++i) {
      const T value = given[i];  // read in any case, so that there is no branch
      out[i] = signs[i] > 0 ? value : 0;
    }
  });
  return {masked.data(), gradient.rows, gradient.columns, gradient.columns};
}

/// Goes through the rows of a combination with the gradient of their sums.
template <class T>
class Backward {
 public:
  Backward(const std::vector<Term>& terms, const std::vector<RowGradient>& rows, const SumGradient<T>& gradient)
      : terms_(terms), rows_(rows), gradient_(gradient), packed_(terms.size()) {
    const torch::Tensor& first = terms.front().weight;
    outputs_ = first.size(0);
    options_ = first.options().requires_grad(false);
    std::int64_t widest = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      packed_[i].pack(view<const T>(terms[i].weight));
      widest = std::max(widest, terms[i].weight.size(1));
    }
    zeros_.resize(static_cast<std::size_t>(widest));
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (rows[i].to.defined()) used_.push_back(view<const T>(rows[i].to));
      used_.push_back(view<const T>(terms[i].rows));
    }
  }

  Gradients run() const {
    const std::int64_t rows = terms_.front().rows.size(0);
    const std::int64_t size = std::max(kLeastChunk, (rows + kMostChunks - 1) / kMostChunks);
    const std::int64_t chunks = std::max<std::int64_t>(1, (rows + size - 1) / size);
    Gradients parts;  // one after another, by chunk
    parts.bias = torch::zeros({chunks, outputs_}, options_);
    for (const Term& term : terms_)
      parts.weights.push_back(recycled({chunks, outputs_, term.weight.size(1)}, options_).zero_());
    at::parallel_for(0, chunks, 1, [&](std::int64_t begin, std::int64_t end) {
      Ahead ahead;
      for (std::int64_t chunk = begin; chunk < end; ++chunk)
        for (std::int64_t first = chunk * size; first < std::min(rows, (chunk + 1) * size); first += kBlock)
          add_block(first, std::min({first + kBlock, (chunk + 1) * size, rows}), chunk, parts, ahead);
    });
    parts.bias = parts.bias.sum(0);
    for (torch::Tensor& weight : parts.weights) weight = weight.sum(0);
    return parts;
  }

 private:
  void add_block(std::int64_t first, std::int64_t last, std::int64_t chunk, const Gradients& parts,
                 Ahead& ahead) const {
    // Kept by each thread, since getting memory anew for every block takes longer than filling it.
    thread_local PackedMatrix<T> inputs;
    const MatrixView<const T> gradient = gradient_.rows(first, last);
    look_ahead(last, ahead);
    add_columns(gradient, parts.bias.data_ptr<T>() + chunk * outputs_);
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      const std::int64_t width = terms_[i].weight.size(1);
      inputs.pack(view<const T>(terms_[i].rows).slice(first, last));
      const MatrixView<T> sum{parts.weights[i].data_ptr<T>() + chunk * outputs_ * width, outputs_, width, width};
      add_product(sum.constant(), gradient.transposed(), inputs, sum, ahead);
      if (!rows_[i].to.defined()) continue;
      const MatrixView<T> out = view<T>(rows_[i].to).slice(first, last);
      add_product(rows_[i].added ? out.constant() : repeated(zeros_.data(), out.rows, width), gradient, packed_[i], out,
                  ahead);
    }
  }

  /// Names the memory that the next block is going to need; what is named last is read first.
  void look_ahead(std::int64_t first, Ahead& ahead) const {
    ahead.clear();
    const std::int64_t last = std::min(first + kBlock, terms_.front().rows.size(0));
    for (const MatrixView<const T>& matrix : used_) ahead.add(matrix.slice(first, last));
    gradient_.look_ahead(first, last, ahead);
  }

  const std::vector<Term>& terms_;
  const std::vector<RowGradient>& rows_;
  const SumGradient<T>& gradient_;
  std::int64_t outputs_ = 0;
  torch::TensorOptions options_;
  std::vector<PackedMatrix<T>> packed_;
  std::vector<T> zeros_;
  std::vector<MatrixView<const T>> used_;  // of each block its rows
};

}  // namespace

void for_blocks(std::int64_t rows, const std::function<void(std::int64_t, std::int64_t)>& body) {
  at::parallel_for(0, rows, kBlock, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t first = begin; first < end; first += kBlock) body(first, std::min(first + kBlock, end));
  });
}

template <class T>
DenseForward<T>::DenseForward(std::vector<Term> terms, torch::Tensor bias, Activation activation)
    : terms_(std::move(terms)), bias_(std::move(bias)), activation_(activation), packed_(terms_.size()) {
  result_ = recycled({terms_.front().rows.size(0), bias_.numel()}, bias_.options().requires_grad(false));
  for (std::size_t i = 0; i < terms_.size(); ++i) packed_[i].pack(view<const T>(terms_[i].weight).transposed());
}

template <class T>
void DenseForward<T>::fill(std::int64_t first, std::int64_t last) const {
  Ahead none;
  const MatrixView<T> out = view<T>(result_).slice(first, last);
  for (std::size_t i = 0; i < terms_.size(); ++i)
    add_product(i > 0 ? out.constant() : repeated<T>(bias_.data_ptr<T>(), out.rows, out.columns),
                view<const T>(terms_[i].rows).slice(first, last), packed_[i], out, none);
  if (activation_ == Activation::relu) keep_positive(out.begin, out.rows * out.columns);
}

template <class T>
torch::Tensor DenseForward<T>::run() const {
  for_blocks(result_.size(0), [&](std::int64_t first, std::int64_t last) { fill(first, last); });
  return result_;
}

template <class T>
SumGradient<T> of_sum(const torch::Tensor& gradient) {
  const MatrixView<const T> given = view<const T>(gradient);
  return {[=](std::int64_t first, std::int64_t last) { return given.slice(first, last); },
          [=](std::int64_t first, std::int64_t last, Ahead& ahead) { ahead.add(given.slice(first, last)); }};
}

template <class T>
SumGradient<T> of_relu(const torch::Tensor& gradient, const torch::Tensor& result) {
  const MatrixView<const T> given = view<const T>(gradient), passed = view<const T>(result);
  return {[=](std::int64_t first, std::int64_t last) {
            return where_positive(given.slice(first, last), passed.slice(first, last));
          },
          [=](std::int64_t first, std::int64_t last, Ahead& ahead) {
            ahead.add(given.slice(first, last));
            ahead.add(passed.slice(first, last));
          }};
}

template <class T>
Gradients dense_backward(const std::vector<Term>& terms, const std::vector<RowGradient>& rows,
                         const SumGradient<T>& gradient) {
  return Backward<T>(terms, rows, gradient).run();
}

template class DenseForward<float>;
template class DenseForward<double>;
template SumGradient<float> of_sum(const torch::Tensor&);
template SumGradient<double> of_sum(const torch::Tensor&);
template SumGradient<float> of_relu(const torch::Tensor&, const torch::Tensor&);
template SumGradient<double> of_relu(const torch::Tensor&, const torch::Tensor&);
template Gradients dense_backward(const std::vector<Term>&, const std::vector<RowGradient>&, const SumGradient<float>&);
template Gradients dense_backward(const std::vector<Term>&, const std::vector<RowGradient>&,
                                  const SumGradient<double>&);

}  // namespace hone::learn
