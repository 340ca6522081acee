#include "learn/train/neighbours.h"

#include "learn/train/max_pool.h"
#include "learn/train/node_lists.h"

namespace hone::learn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct PoolSum : torch::autograd::Function<PoolSum> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& values, const torch::Tensor& in_begin,
                               const torch::Tensor& in, const torch::Tensor& out_begin, const torch::Tensor& out,
                               bool mean) {
    context->save_for_backward({in_begin, in, out_begin, out});
    context->saved_data["mean"] = mean;
    const Lists lists(in_begin, in);
    torch::Tensor result;
    AT_DISPATCH_FLOATING_TYPES(values.scalar_type(), "pool", [&] {
      result = sum_rows<scalar_t>(values.contiguous(), lists, [=](std::int32_t, std::int64_t node) {
        return mean ? scalar_t{1} / static_cast<scalar_t>(lists.count(node)) : scalar_t{1};
      });
    });
    return result;
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const bool mean = context->saved_data["mean"].toBool();
    const Lists in(saved[0], saved[1]), out(saved[2], saved[3]);
    torch::Tensor result;
    AT_DISPATCH_FLOATING_TYPES(gradients[0].scalar_type(), "pool", [&] {
      result = sum_rows<scalar_t>(gradients[0].contiguous(), out, [=](std::int32_t edge, std::int64_t) {
        return mean ? scalar_t{1} / static_cast<scalar_t>(in.count(out.other[edge])) : scalar_t{1};
      });
    });
    const torch::Tensor none;
    return {result, none, none, none, none, none};
  }
};

/// The maximum of the rows of neighbours, and the edge it came by.
template <class T>
std::pair<torch::Tensor, torch::Tensor> max_rows(const torch::Tensor& values, const Lists& lists) {
  const std::int64_t width = values.size(1);
  const torch::TensorOptions options = values.options().requires_grad(false);
  torch::Tensor out = recycled({lists.nodes, width}, options);
  torch::Tensor winner = recycled({lists.nodes, width}, options.dtype(torch::kInt));
  const T* rows = values.data_ptr<T>();
  T* maxima = out.data_ptr<T>();
  std::int32_t* winners = winner.data_ptr<std::int32_t>();
  for_nodes(lists.nodes, [=, pool = MaxPool<T>{width}](std::int64_t node) HONE_INLINED {
    pool.find(node, lists, rows, maxima + node * width, winners + node * width);
  });
  return {out, winner};
}

/// Every node collects what it has won; `place`: of each edge in the lists of the winners.
template <class T>
torch::Tensor collect_won(const torch::Tensor& gradient, const torch::Tensor& winner, const Lists& lists,
                          const torch::Tensor& place) {
  const std::int64_t width = gradient.size(1);
  torch::Tensor out = recycled({lists.nodes, width}, gradient.options());
  const typename MaxPool<T>::Won won{gradient.data_ptr<T>(), winner.data_ptr<std::int32_t>(),
                                     place.data_ptr<std::int32_t>()};
  T* sums = out.data_ptr<T>();
  for_nodes(lists.nodes, [=, pool = MaxPool<T>{width}](std::int64_t node)
                             HONE_INLINED { pool.collect(node, lists, won, sums + node * width); });
  return out;
}

struct PoolMax : torch::autograd::Function<PoolMax> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& values, const torch::Tensor& in_begin,
                               const torch::Tensor& in, const torch::Tensor& out_begin, const torch::Tensor& out,
                               const torch::Tensor& out_place) {
    std::pair<torch::Tensor, torch::Tensor> result;
    AT_DISPATCH_FLOATING_TYPES(values.scalar_type(), "pool",
                               [&] { result = max_rows<scalar_t>(values.contiguous(), Lists(in_begin, in)); });
    context->save_for_backward({result.second, out_begin, out, out_place});
    return result.first;
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    torch::Tensor result;
    AT_DISPATCH_FLOATING_TYPES(gradients[0].scalar_type(), "pool", [&] {
      result = collect_won<scalar_t>(gradients[0].contiguous(), saved[0], Lists(saved[1], saved[2]), saved[3]);
    });
    const torch::Tensor none;
    return {result, none, none, none, none, none};
  }
};

/// A row for every edge, and a reduction by index: for devices other than the CPU.
torch::Tensor pool_by_index(const torch::Tensor& values, const Adjacency& edges, Pool pool) {
  const torch::Tensor rows = values.index_select(0, sources_of(edges)), target = targets_of(edges);
  const torch::Tensor none = torch::zeros_like(values);
  if (pool == Pool::max) return none.scatter_reduce(0, target.unsqueeze(1).expand_as(rows), rows, "amax", false);
  const torch::Tensor sum = none.index_add(0, target, rows);
  if (pool == Pool::sum) return sum;
  const torch::Tensor begin = edges.in_begin.to(values.scalar_type());
  return sum / (begin.slice(0, 1) - begin.slice(0, 0, -1)).clamp_min(1).unsqueeze(1);
}

}  // namespace

torch::Tensor pool_neighbours(const torch::Tensor& values, const Adjacency& edges, Pool pool) {
  if (!values.is_cpu()) return pool_by_index(values, edges, pool);
  if (pool == Pool::max)
    return PoolMax::apply(values, edges.in_begin, edges.in, edges.out_begin, edges.out, edges.out_place);
  return PoolSum::apply(values, edges.in_begin, edges.in, edges.out_begin, edges.out, pool == Pool::mean);
}

}  // namespace hone::learn
