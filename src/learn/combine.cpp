#include "learn/combine.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "learn/product.h"
#include "learn/recycled.h"
#include "learn/vectorised.h"

namespace hone::learn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::size_t kMostTerms = 3;
constexpr std::int64_t kBlock = 480;      // rows that are in the cache at a time
constexpr std::int64_t kMostChunks = 32;  // of rows with a sum of gradients of their own
constexpr std::int64_t kLeastChunk = 2 * kBlock;

template <class T>
MatrixView<T> view(const torch::Tensor& tensor) {
  using Plain = std::remove_const_t<T>;
  return {tensor.data_ptr<Plain>(), tensor.size(0), tensor.size(1), tensor.size(1)};
}

template <class T>
std::vector<PackedMatrix<T>> pack_all(const std::vector<MatrixView<const T>>& matrices) {
  std::vector<PackedMatrix<T>> packed(matrices.size());
  for (std::size_t i = 0; i < matrices.size(); ++i) packed[i].pack(matrices[i]);
  return packed;
}

template <class T>
void keep_positive(T* values, std::int64_t count) {
  vectorised([=](auto) HONE_INLINED {
    for (std::int64_t i = 0; i < count; ++i) values[i] = values[i] > 0 ? values[i] : 0;
  });
}

template <class T>
torch::Tensor forward_rows(const std::vector<Term>& terms, const torch::Tensor& bias, Activation activation) {
  const std::int64_t rows = terms.front().rows.size(0), outputs = bias.numel();
  torch::Tensor result = recycled({rows, outputs}, bias.options().requires_grad(false));
  std::vector<MatrixView<const T>> weights;
  for (const Term& term : terms) weights.push_back(view<const T>(term.weight).transposed());
  const std::vector<PackedMatrix<T>> packed = pack_all(weights);
  const T* start = bias.data_ptr<T>();
  const MatrixView<T> out = view<T>(result);
  at::parallel_for(0, rows, kBlock, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t first = begin; first < end; first += kBlock) {
      const std::int64_t last = std::min(first + kBlock, end);
      const MatrixView<T> block = out.slice(first, last);
      for (std::int64_t i = 0; i < block.rows; ++i) std::copy(start, start + outputs, block.begin + i * outputs);
      for (std::size_t i = 0; i < terms.size(); ++i)
        add_product(view<const T>(terms[i].rows).slice(first, last), packed[i], block);
      if (activation == Activation::relu) keep_positive(block.begin, block.rows * outputs);
    }
  });
  return result;
}

/// Gradients of all that goes into a combination; those of rows only where they are wanted.
struct Gradients {
  std::vector<torch::Tensor> rows, weights;
  torch::Tensor bias;
};

/// Goes through the rows of a combination with the gradient of its result.
template <class T>
class Backward {
 public:
  Backward(const std::vector<Term>& terms, const torch::Tensor& result, const torch::Tensor& gradient)
      : terms_(terms), gradient_(view<const T>(gradient)) {
    if (result.dim() == 2) result_ = view<const T>(result);
    std::vector<MatrixView<const T>> weights;
    for (const Term& term : terms) weights.push_back(view<const T>(term.weight));
    packed_ = pack_all(weights);
  }

  Gradients run(const std::vector<bool>& wanted, const torch::TensorOptions& options) {
    const std::int64_t rows = gradient_.rows, outputs = gradient_.columns;
    const std::int64_t size = std::max(kLeastChunk, (rows + kMostChunks - 1) / kMostChunks);
    const std::int64_t chunks = std::max<std::int64_t>(1, (rows + size - 1) / size);
    Gradients parts;  // one after another, by chunk
    parts.bias = torch::zeros({chunks, outputs}, options);
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      parts.weights.push_back(torch::zeros({chunks, outputs, terms_[i].weight.size(1)}, options));
      parts.rows.push_back(wanted[i] ? recycled(terms_[i].rows.sizes(), options) : torch::Tensor());
    }
    at::parallel_for(0, chunks, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t chunk = begin; chunk < end; ++chunk)
        for (std::int64_t first = chunk * size; first < std::min(rows, (chunk + 1) * size); first += kBlock)
          add_block(first, std::min({first + kBlock, (chunk + 1) * size, rows}), chunk, parts);
    });
    parts.bias = parts.bias.sum(0);
    for (torch::Tensor& weight : parts.weights) weight = weight.sum(0);
    return parts;
  }

 private:
  void add_block(std::int64_t first, std::int64_t last, std::int64_t chunk, const Gradients& parts) const {
    // Kept by each thread, since getting memory anew for every block takes longer than filling it.
    thread_local std::vector<T> masked;
    thread_local PackedMatrix<T> inputs;
    const MatrixView<const T> gradient = mask(first, last, masked);
    const std::int64_t outputs = gradient.columns;
    T* bias = parts.bias.data_ptr<T>() + chunk * outputs;
    for (std::int64_t row = 0; row < gradient.rows; ++row)
      for (std::int64_t i = 0; i < outputs; ++i) bias[i] += gradient.begin[row * gradient.row + i];
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      const std::int64_t width = terms_[i].weight.size(1);
      inputs.pack(view<const T>(terms_[i].rows).slice(first, last));
      add_product(gradient.transposed(), inputs,
                  {parts.weights[i].data_ptr<T>() + chunk * outputs * width, outputs, width, width});
      if (!parts.rows[i].defined()) continue;
      const MatrixView<T> out = view<T>(parts.rows[i]).slice(first, last);
      std::fill(out.begin, out.begin + out.rows * width, T{0});
      add_product(gradient, packed_[i], out);
    }
  }

  /// The gradient of the sums: nothing where the activation has cut them off.
  MatrixView<const T> mask(std::int64_t first, std::int64_t last, std::vector<T>& masked) const {
    const MatrixView<const T> gradient = gradient_.slice(first, last);
    if (result_.begin == nullptr) return gradient;
    masked.resize(static_cast<std::size_t>(gradient.rows * gradient.columns));
    const T* given = gradient.begin;
    const T* result = result_.slice(first, last).begin;
    T* __restrict out = masked.data();
    const std::int64_t count = gradient.rows * gradient.columns;
    vectorised([=](auto) HONE_INLINED {
      for (std::int64_t i = 0; i < count; ++i) {
        const T value = given[i];  // read in any case, so that there is no branch
        out[i] = result[i] > 0 ? value : 0;
      }
    });
    return {out, gradient.rows, gradient.columns, gradient.columns};
  }

  const std::vector<Term>& terms_;
  MatrixView<const T> gradient_, result_;
  std::vector<PackedMatrix<T>> packed_;
};

/// What stands where autograd wants a tensor and there is none.
torch::Tensor nothing() { return torch::empty({0}); }

/// What autograd hands over: three terms, some of which may be nothing.
struct Combine : torch::autograd::Function<Combine> {
  static std::vector<Term> terms_of(const variable_list& tensors) {
    std::vector<Term> terms;
    for (std::size_t i = 0; i + 1 < tensors.size() && tensors[i].dim() == 2; i += 2)
      terms.push_back({tensors[i].contiguous(), tensors[i + 1].contiguous()});
    return terms;
  }

  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& bias, const torch::Tensor& rows0,
                               const torch::Tensor& weight0, const torch::Tensor& rows1, const torch::Tensor& weight1,
                               const torch::Tensor& rows2, const torch::Tensor& weight2, bool relu) {
    const std::vector<Term> terms = terms_of({rows0, weight0, rows1, weight1, rows2, weight2});
    torch::Tensor result;
    AT_DISPATCH_FLOATING_TYPES(bias.scalar_type(), "combine", [&] {
      result = forward_rows<scalar_t>(terms, bias.contiguous(), relu ? Activation::relu : Activation::none);
    });
    variable_list saved{relu ? result : nothing()};
    for (const Term& term : terms) {
      saved.push_back(term.rows);
      saved.push_back(term.weight);
    }
    context->save_for_backward(saved);
    context->saved_data["wanted"] =
        std::vector<bool>{rows0.requires_grad(), rows1.requires_grad(), rows2.requires_grad()};
    return result;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const std::vector<Term> terms = terms_of(variable_list(saved.begin() + 1, saved.end()));
    const c10::List<bool> list = context->saved_data["wanted"].toBoolList();
    const std::vector<bool> wanted{list.get(0), list.get(1), list.get(2)};
    const torch::Tensor gradient = gradients[0].contiguous();
    Gradients parts;
    AT_DISPATCH_FLOATING_TYPES(gradient.scalar_type(), "combine", [&] {
      parts = Backward<scalar_t>(terms, saved[0], gradient).run(wanted, gradient.options());
    });
    variable_list result{parts.bias};
    for (std::size_t i = 0; i < kMostTerms; ++i) {
      result.push_back(i < terms.size() ? parts.rows[i] : torch::Tensor());
      result.push_back(i < terms.size() ? parts.weights[i] : torch::Tensor());
    }
    result.emplace_back();
    return result;
  }
};

}  // namespace

torch::Tensor combine(std::span<const Term> terms, const torch::Tensor& bias, Activation activation) {
  HONE_CHECK(!terms.empty() && terms.size() <= kMostTerms);
  const bool relu = activation == Activation::relu;
  if (!bias.is_cpu()) {
    torch::Tensor sum = bias;
    for (const Term& term : terms) sum = torch::addmm(sum, term.rows, term.weight.t());
    return relu ? torch::relu(sum) : sum;
  }
  const auto at = [&](std::size_t i) { return i < terms.size() ? terms[i] : Term{nothing(), nothing()}; };
  return Combine::apply(bias, at(0).rows, at(0).weight, at(1).rows, at(1).weight, at(2).rows, at(2).weight, relu);
}

}  // namespace hone::learn
