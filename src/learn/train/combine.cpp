#include "learn/train/combine.h"

#include "base/error.h"
#include "learn/train/dense.h"
#include "learn/train/recycled.h"

namespace hone::learn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::size_t kMostTerms = 3;

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
      const Activation activation = relu ? Activation::relu : Activation::none;
      result = DenseForward<scalar_t>(terms, bias.contiguous(), activation).run();
    });
    variable_list saved{relu ? result : nothing()};
    for (const Term& term : terms) {
      saved.push_back(term.rows);
      saved.push_back(term.weight);
    }
    context->save_for_backward(saved);
    return result;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const std::vector<Term> terms = terms_of(variable_list(saved.begin() + 1, saved.end()));
    const torch::Tensor gradient = gradients[0].contiguous();
    std::vector<RowGradient> rows(terms.size());
    for (std::size_t i = 0; i < terms.size(); ++i)
      if (context->needs_input_grad(1 + 2 * i)) rows[i].to = recycled(terms[i].rows.sizes(), gradient.options());
    Gradients parts;
    AT_DISPATCH_FLOATING_TYPES(gradient.scalar_type(), "combine", [&] {
      const SumGradient<scalar_t> sums =
          saved[0].dim() == 2 ? of_relu<scalar_t>(gradient, saved[0]) : of_sum<scalar_t>(gradient);
      parts = dense_backward<scalar_t>(terms, rows, sums);
    });
    variable_list result{parts.bias};
    for (std::size_t i = 0; i < kMostTerms; ++i) {
      result.push_back(i < terms.size() ? rows[i].to : torch::Tensor());
      result.push_back(i < terms.size() ? parts.weights[i] : torch::Tensor());
    }
    result.emplace_back();
    return result;
  }
};

}  // namespace

torch::Tensor activated(const torch::Tensor& rows, Activation activation) {
  switch (activation) {
    case Activation::relu: return torch::relu(rows);
    case Activation::tanh: return torch::tanh(rows);
    case Activation::sigmoid: return torch::sigmoid(rows);
    case Activation::none: break;
  }
  return rows;
}

torch::Tensor combine(std::span<const Term> terms, const torch::Tensor& bias, Activation activation) {
  HONE_CHECK(!terms.empty() && terms.size() <= kMostTerms);
  const bool relu = activation == Activation::relu;
  if (!relu && activation != Activation::none) return activated(combine(terms, bias, Activation::none), activation);
  if (!bias.is_cpu()) {
    torch::Tensor sum = bias;
    for (const Term& term : terms) sum = torch::addmm(sum, term.rows, term.weight.t());
    return relu ? torch::relu(sum) : sum;
  }
  const auto at = [&](std::size_t i) { return i < terms.size() ? terms[i] : Term{nothing(), nothing()}; };
  return Combine::apply(bias, at(0).rows, at(0).weight, at(1).rows, at(1).weight, at(2).rows, at(2).weight, relu);
}

}  // namespace hone::learn
