#include <cmath>
#include <limits>

#include "learn/train/neighbours.h"
#include "learn/train/node_lists.h"

namespace hone::learn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// The gradient of a share: how well the row of its edge goes with the gradient of the node.
template <class T>
torch::Tensor share_gradients(const torch::Tensor& values, const torch::Tensor& gradient, const Lists& lists) {
  const std::int64_t width = values.size(1);
  torch::Tensor out = torch::empty({lists.begin[lists.nodes]}, gradient.options());
  const T *rows = values.data_ptr<T>(), *slopes = gradient.data_ptr<T>();
  T* result = out.data_ptr<T>();
  for_nodes(lists.nodes, [=](std::int64_t node) HONE_INLINED {
    const T* slope = slopes + node * width;
    for (std::int32_t edge = lists.begin[node]; edge < lists.begin[node + 1]; ++edge) {
      const T* row = rows + static_cast<std::int64_t>(lists.other[edge]) * width;
      T sum = 0;
      for (std::int64_t i = 0; i < width; ++i) sum += row[i] * slope[i];
      result[edge] = sum;
    }
  });
  return out;
}

struct PoolShares : torch::autograd::Function<PoolShares> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& values, const torch::Tensor& shares,
                               const torch::Tensor& in_begin, const torch::Tensor& in, const torch::Tensor& out_begin,
                               const torch::Tensor& out, const torch::Tensor& out_place) {
    context->save_for_backward({values, shares, in_begin, in, out_begin, out, out_place});
    const torch::Tensor given = shares.contiguous();
    torch::Tensor result;
    AT_DISPATCH_FLOATING_TYPES(values.scalar_type(), "pool", [&] {
      const scalar_t* share = given.data_ptr<scalar_t>();
      result = sum_rows<scalar_t>(values.contiguous(), Lists(in_begin, in),
                                  [=](std::int32_t edge, std::int64_t) { return share[edge]; });
    });
    return result;
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const torch::Tensor gradient = gradients[0].contiguous(), none;
    const torch::Tensor given = saved[1].contiguous();
    const std::int32_t* place = saved[6].data_ptr<std::int32_t>();
    torch::Tensor rows, shares;
    AT_DISPATCH_FLOATING_TYPES(gradient.scalar_type(), "pool", [&] {
      const scalar_t* share = given.data_ptr<scalar_t>();
      rows = sum_rows<scalar_t>(gradient, Lists(saved[4], saved[5]),
                                [=](std::int32_t edge, std::int64_t) { return share[place[edge]]; });
      shares = share_gradients<scalar_t>(saved[0].contiguous(), gradient, Lists(saved[2], saved[3]));
    });
    return {rows, shares, none, none, none, none, none};
  }
};

/// A softmax over the edges of each node.
struct ShareOut : torch::autograd::Function<ShareOut> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& scores, const torch::Tensor& in_begin) {
    const torch::Tensor given = scores.contiguous();
    torch::Tensor shares = torch::empty_like(given);
    const std::int32_t* begin = in_begin.data_ptr<std::int32_t>();
    AT_DISPATCH_FLOATING_TYPES(given.scalar_type(), "share", [&] {
      const scalar_t* score = given.data_ptr<scalar_t>();
      scalar_t* share = shares.data_ptr<scalar_t>();
      for_nodes(in_begin.numel() - 1, [=](std::int64_t node) HONE_INLINED {
        scalar_t most = -std::numeric_limits<scalar_t>::infinity(), sum = 0;
        for (std::int32_t edge = begin[node]; edge < begin[node + 1]; ++edge) most = std::max(most, score[edge]);
        for (std::int32_t edge = begin[node]; edge < begin[node + 1]; ++edge)
          sum += share[edge] = std::exp(score[edge] - most);
        for (std::int32_t edge = begin[node]; edge < begin[node + 1]; ++edge) share[edge] /= sum;
      });
    });
    context->save_for_backward({shares, in_begin});
    return shares;
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const torch::Tensor given = gradients[0].contiguous();
    torch::Tensor result = torch::empty_like(given);
    const std::int32_t* begin = saved[1].data_ptr<std::int32_t>();
    AT_DISPATCH_FLOATING_TYPES(given.scalar_type(), "share", [&] {
      const scalar_t *slope = given.data_ptr<scalar_t>(), *share = saved[0].data_ptr<scalar_t>();
      scalar_t* out = result.data_ptr<scalar_t>();
      for_nodes(saved[1].numel() - 1, [=](std::int64_t node) HONE_INLINED {
        scalar_t mean = 0;
        for (std::int32_t edge = begin[node]; edge < begin[node + 1]; ++edge) mean += share[edge] * slope[edge];
        for (std::int32_t edge = begin[node]; edge < begin[node + 1]; ++edge)
          out[edge] = share[edge] * (slope[edge] - mean);
      });
    });
    return {result, torch::Tensor()};
  }
};

}  // namespace

torch::Tensor pool_shares(const torch::Tensor& values, const torch::Tensor& shares, const Adjacency& edges) {
  if (values.is_cpu())
    return PoolShares::apply(values, shares, edges.in_begin, edges.in, edges.out_begin, edges.out, edges.out_place);
  const torch::Tensor rows = values.index_select(0, sources_of(edges)) * shares.unsqueeze(1);
  return torch::zeros_like(values).index_add(0, targets_of(edges), rows);
}

torch::Tensor share_out(const torch::Tensor& scores, const Adjacency& edges) {
  if (scores.is_cpu()) return ShareOut::apply(scores, edges.in_begin);
  const torch::Tensor target = targets_of(edges);
  const torch::Tensor none = torch::zeros({edges.nodes()}, scores.options());
  const torch::Tensor most = none.scatter_reduce(0, target, scores.detach(), "amax", false);
  const torch::Tensor raised = (scores - most.index_select(0, target)).exp();
  return raised / none.index_add(0, target, raised).index_select(0, target);
}

}  // namespace hone::learn
