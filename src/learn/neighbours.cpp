#include "learn/neighbours.h"

#include <algorithm>
#include <limits>

namespace hone::learn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::int64_t kGrain = 256;  // nodes a thread takes at least

/// One direction of an adjacency, as plain memory.
struct Lists {
  Lists(const torch::Tensor& begins, const torch::Tensor& others)
      : begin(begins.data_ptr<std::int32_t>()), other(others.data_ptr<std::int32_t>()), nodes(begins.numel() - 1) {}

  const std::int32_t* begin;
  const std::int32_t* other;
  std::int64_t nodes;
};

/// For every node the sum of the rows of its neighbours.
torch::Tensor sum_rows(const torch::Tensor& values, const Lists& lists) {
  const std::int64_t width = values.size(1);
  torch::Tensor out = torch::zeros({lists.nodes, width}, values.options());
  const float* rows = values.data_ptr<float>();
  float* sums = out.data_ptr<float>();
  at::parallel_for(0, lists.nodes, kGrain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t node = first; node < last; ++node) {
      float* __restrict sum = sums + node * width;
      for (std::int32_t edge = lists.begin[node]; edge < lists.begin[node + 1]; ++edge) {
        const float* row = rows + lists.other[edge] * width;
        for (std::int64_t i = 0; i < width; ++i) sum[i] += row[i];
      }
    }
  });
  return out;
}

/// One over the number of edges that come in, a column.
torch::Tensor inverse_degrees(const torch::Tensor& begin) {
  const torch::Tensor wide = begin.to(torch::kFloat);
  return (wide.slice(0, 1) - wide.slice(0, 0, -1)).clamp_min(1).reciprocal().unsqueeze(1);
}

struct PoolSum : torch::autograd::Function<PoolSum> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& values, const torch::Tensor& in_begin,
                               const torch::Tensor& in, const torch::Tensor& out_begin, const torch::Tensor& out) {
    context->save_for_backward({out_begin, out});
    return sum_rows(values.contiguous(), Lists(in_begin, in));
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const torch::Tensor none;
    return {sum_rows(gradients[0].contiguous(), Lists(saved[0], saved[1])), none, none, none, none};
  }
};

/// The maximum of the rows of neighbours, and which neighbour it is from: -1 for nobody.
std::pair<torch::Tensor, torch::Tensor> max_rows(const torch::Tensor& values, const Lists& lists) {
  const std::int64_t width = values.size(1);
  torch::Tensor out = torch::zeros({lists.nodes, width}, values.options());
  torch::Tensor winner = torch::full({lists.nodes, width}, -1, values.options().dtype(torch::kInt));
  const float* rows = values.data_ptr<float>();
  float* maxima = out.data_ptr<float>();
  std::int32_t* winners = winner.data_ptr<std::int32_t>();
  at::parallel_for(0, lists.nodes, kGrain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t node = first; node < last; ++node) {
      float* __restrict best = maxima + node * width;
      std::int32_t* __restrict who = winners + node * width;
      const std::int32_t begin = lists.begin[node], end = lists.begin[node + 1];
      if (begin < end) std::fill(best, best + width, -std::numeric_limits<float>::infinity());
      for (std::int32_t edge = begin; edge < end; ++edge) {
        const std::int32_t other = lists.other[edge];
        const float* row = rows + other * width;
        for (std::int64_t i = 0; i < width; ++i) {
          const bool wins = row[i] > best[i];
          best[i] = wins ? row[i] : best[i];
          who[i] = wins ? other : who[i];
        }
      }
    }
  });
  return {out, winner};
}

/// Every node collects from where its edges go to what it has won there. An edge that stands there twice won once.
torch::Tensor collect_won(const torch::Tensor& gradient, const torch::Tensor& winner, const Lists& lists) {
  const std::int64_t width = gradient.size(1);
  torch::Tensor out = torch::zeros({lists.nodes, width}, gradient.options());
  const float* rows = gradient.data_ptr<float>();
  const std::int32_t* winners = winner.data_ptr<std::int32_t>();
  float* sums = out.data_ptr<float>();
  at::parallel_for(0, lists.nodes, kGrain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t node = first; node < last; ++node) {
      float* __restrict sum = sums + node * width;
      for (std::int32_t edge = lists.begin[node]; edge < lists.begin[node + 1]; ++edge) {
        if (edge > lists.begin[node] && lists.other[edge] == lists.other[edge - 1]) continue;
        const std::int64_t other = lists.other[edge];
        const float* row = rows + other * width;
        const std::int32_t* who = winners + other * width;
        for (std::int64_t i = 0; i < width; ++i) sum[i] += who[i] == node ? row[i] : 0;
      }
    }
  });
  return out;
}

struct PoolMax : torch::autograd::Function<PoolMax> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& values, const torch::Tensor& in_begin,
                               const torch::Tensor& in, const torch::Tensor& out_begin, const torch::Tensor& out) {
    const auto [maxima, winner] = max_rows(values.contiguous(), Lists(in_begin, in));
    context->save_for_backward({winner, out_begin, out});
    return maxima;
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const torch::Tensor none;
    return {collect_won(gradients[0].contiguous(), saved[0], Lists(saved[1], saved[2])), none, none, none, none};
  }
};

torch::Tensor to_tensor(const std::vector<std::int32_t>& values) {
  return torch::tensor(at::ArrayRef<std::int32_t>(values), torch::kInt);
}

/// By one end, the other ends in ascending order.
std::pair<torch::Tensor, torch::Tensor> sort_edges(std::size_t nodes,
                                                   std::vector<std::pair<std::int32_t, std::int32_t>> edges) {
  std::ranges::sort(edges);
  std::vector<std::int32_t> begin(nodes + 1), others;
  others.reserve(edges.size());
  for (const auto& [node, other] : edges) {
    ++begin[static_cast<std::size_t>(node) + 1];
    others.push_back(other);
  }
  for (std::size_t i = 0; i < nodes; ++i) begin[i + 1] += begin[i];
  return {to_tensor(begin), to_tensor(others)};
}

}  // namespace

Adjacency make_adjacency(std::size_t nodes, std::span<const std::pair<std::int32_t, std::int32_t>> edges) {
  std::vector<std::pair<std::int32_t, std::int32_t>> by_from(edges.begin(), edges.end()), by_to;
  for (const auto& [from, to] : edges) by_to.emplace_back(to, from);
  Adjacency adjacency;
  std::tie(adjacency.in_begin, adjacency.in) = sort_edges(nodes, std::move(by_to));
  std::tie(adjacency.out_begin, adjacency.out) = sort_edges(nodes, std::move(by_from));
  return adjacency;
}

torch::Tensor pool_neighbours(const torch::Tensor& values, const Adjacency& edges, Pool pool) {
  if (pool == Pool::max) return PoolMax::apply(values, edges.in_begin, edges.in, edges.out_begin, edges.out);
  const torch::Tensor sum = PoolSum::apply(values, edges.in_begin, edges.in, edges.out_begin, edges.out);
  return pool == Pool::sum ? sum : sum * inverse_degrees(edges.in_begin);
}

}  // namespace hone::learn
