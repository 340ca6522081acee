#include "learn/train/max_pooled_layer.h"

#include "learn/train/dense.h"
#include "learn/train/max_pool.h"

namespace hone::learn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Everything that is known of a layer after its rows went through it.
struct Passed {
  MaxPooledWeights weights;
  torch::Tensor rows, sent, pooled, winner, result;

  std::vector<Term> sent_terms() const { return {{rows, weights.neighbour}}; }
  std::vector<Term> terms() const { return {{rows, weights.self}, {pooled, weights.pooled}}; }

  variable_list save() const {
    return {weights.neighbour,
            weights.neighbour_bias,
            weights.self,
            weights.bias,
            weights.pooled,
            rows,
            sent,
            pooled,
            winner,
            result};
  }
  static Passed load(const variable_list& saved) {
    return {{saved[0], saved[1], saved[2], saved[3], saved[4]}, saved[5], saved[6], saved[7], saved[8], saved[9]};
  }
};

template <class T>
void pass_forward(Passed& passed, const Lists& in) {
  const MaxPooledWeights& weights = passed.weights;
  passed.sent = DenseForward<T>(passed.sent_terms(), weights.neighbour_bias, Activation::relu).run();
  passed.pooled = recycled(passed.sent.sizes(), passed.sent.options());
  passed.winner = recycled(passed.sent.sizes(), passed.sent.options().dtype(torch::kInt));
  const DenseForward<T> dense(passed.terms(), weights.bias, Activation::relu);
  const std::int64_t width = passed.sent.size(1);
  const T* rows = passed.sent.data_ptr<T>();
  T* maxima = passed.pooled.data_ptr<T>();
  std::int32_t* winners = passed.winner.data_ptr<std::int32_t>();
  for_blocks(in.nodes, [&](std::int64_t first, std::int64_t last) {
    for_nodes(first, last, [=, pool = MaxPool<T>{width}](std::int64_t node) HONE_INLINED {
      pool.find(node, in, rows, maxima + node * width, winners + node * width);
    });
    dense.fill(first, last);
  });
  passed.result = dense.result();
}

/// The gradient of what nodes have sent, made of that of the maxima.
template <class T>
class SentGradient {
 public:
  SentGradient(const Passed& passed, const Lists& out, const torch::Tensor& place, const torch::Tensor& pooled)
      : out_(out),
        won_{pooled.data_ptr<T>(), passed.winner.data_ptr<std::int32_t>(), place.data_ptr<std::int32_t>()},
        sent_(view<const T>(passed.sent)),
        pooled_(view<const T>(pooled)),
        winner_(view<const std::int32_t>(passed.winner)) {}

  SumGradient<T> of_sums() const {
    return {[this](std::int64_t first, std::int64_t last) { return collect(first, last); },
            [this](std::int64_t first, std::int64_t last, Ahead& ahead) { look_ahead(first, last, ahead); }};
  }

 private:
  MatrixView<const T> collect(std::int64_t first, std::int64_t last) const {
    thread_local std::vector<T> collected;
    const std::int64_t width = sent_.columns;
    collected.resize(static_cast<std::size_t>((last - first) * width));
    for_nodes(first, last,
              [=, this, pool = MaxPool<T>{width}, sums = collected.data()](std::int64_t node) HONE_INLINED {
                T* __restrict sum = sums + (node - first) * width;
                pool.collect(node, out_, won_, sum);
                const T* sent = sent_.begin + node * width;
                for (std::int64_t i = 0; i < width; ++i) sum[i] = sent[i] > 0 ? sum[i] : 0;
              });
    return {collected.data(), last - first, width, width};
  }

  /// Where edges go to nodes not far ahead, only those beyond all before are not in the cache yet.
  void look_ahead(std::int64_t first, std::int64_t last, Ahead& ahead) const {
    if (first == last) return;
    const std::int64_t begin = furthest(first - 1), end = furthest(last - 1);
    if (begin < end) {
      ahead.add(pooled_.slice(begin, end));
      ahead.add(winner_.slice(begin, end));
    }
    ahead.add(sent_.slice(first, last));
  }

  /// The last node that one goes to, or itself.
  std::int64_t furthest(std::int64_t node) const {
    return out_.count(node) > 0 ? out_.other[out_.begin[node + 1] - 1] : node;
  }

  Lists out_;
  typename MaxPool<T>::Won won_;
  MatrixView<const T> sent_, pooled_;
  MatrixView<const std::int32_t> winner_;
};

/// Gradients in the order of arguments of the function; `rows` is to become that of the rows, or nothing.
template <class T>
variable_list pass_backward(const Passed& passed, const Lists& out, const torch::Tensor& place,
                            const torch::Tensor& gradient, const torch::Tensor& rows) {
  const torch::Tensor pooled = recycled(passed.pooled.sizes(), gradient.options());
  const Gradients own = dense_backward<T>(passed.terms(), {{rows}, {pooled}}, of_relu<T>(gradient, passed.result));
  const SentGradient<T> sent(passed, out, place, pooled);
  const Gradients neighbour = dense_backward<T>(passed.sent_terms(), {{rows, true}}, sent.of_sums());
  return {neighbour.weights[0], neighbour.bias, own.weights[0], own.bias, own.weights[1], rows};
}

/// What autograd hands over.
struct MaxPooledLayer : torch::autograd::Function<MaxPooledLayer> {
  static constexpr std::size_t kRowsArgument = 5;

  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& neighbour,
                               const torch::Tensor& neighbour_bias, const torch::Tensor& self,
                               const torch::Tensor& bias, const torch::Tensor& pooled, const torch::Tensor& rows,
                               const Adjacency& edges) {
    Passed passed{.weights = {neighbour.contiguous(), neighbour_bias.contiguous(), self.contiguous(), bias.contiguous(),
                              pooled.contiguous()},
                  .rows = rows.contiguous()};
    AT_DISPATCH_FLOATING_TYPES(rows.scalar_type(), "max_pooled_layer",
                               [&] { pass_forward<scalar_t>(passed, Lists(edges.in_begin, edges.in)); });
    variable_list saved = passed.save();
    saved.insert(saved.end(), {edges.out_begin, edges.out, edges.out_place});
    context->save_for_backward(saved);
    return passed.result;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const Passed passed = Passed::load(saved);
    const Lists out(saved[10], saved[11]);
    const torch::Tensor gradient = gradients[0].contiguous();
    torch::Tensor rows;
    if (context->needs_input_grad(kRowsArgument)) rows = recycled(passed.rows.sizes(), gradient.options());
    variable_list result;
    AT_DISPATCH_FLOATING_TYPES(gradient.scalar_type(), "max_pooled_layer",
                               [&] { result = pass_backward<scalar_t>(passed, out, saved[12], gradient, rows); });
    result.emplace_back();  // edges
    return result;
  }
};

}  // namespace

torch::Tensor max_pooled_layer(const torch::Tensor& rows, const Adjacency& edges, const MaxPooledWeights& weights) {
  return MaxPooledLayer::apply(weights.neighbour, weights.neighbour_bias, weights.self, weights.bias, weights.pooled,
                               rows, edges);
}

}  // namespace hone::learn
