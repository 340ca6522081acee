#include "learn/layer_times.h"

#include "base/random.h"
#include "base/timer.h"
#include "learn/layers.h"

namespace hone::learn {
namespace {

constexpr std::int64_t kWidth = 128;
constexpr std::size_t kLayers = 3, kRuns = 5, kWindow = 200;

using Edges = std::vector<std::pair<std::int32_t, std::int32_t>>;

/// Three edges a node, to nodes not far behind.
Edges local_edges(std::size_t nodes) {
  Rng rng(1);
  Edges edges;
  for (std::size_t to = 1; to < nodes; ++to)
    for (int i = 0; i < 3; ++i)
      edges.emplace_back(static_cast<std::int32_t>(to - 1 - rng.below(std::min(to, kWindow))),
                         static_cast<std::int32_t>(to));
  return edges;
}

template <class Body>
double best_ms(Body body) {
  double best = 1e9;
  for (std::size_t i = 0; i < kRuns; ++i) best = std::min(best, body());
  return best;
}

/// What others do: a row for every edge, and a reduction by index.
torch::Tensor scatter_max(const torch::Tensor& values, const torch::Tensor& from, const torch::Tensor& to) {
  const torch::Tensor rows = values.index_select(0, from);
  const torch::Tensor index = to.unsqueeze(1).expand_as(rows);
  return torch::zeros_like(values).scatter_reduce(0, index, rows, "amax", false);
}

std::pair<torch::Tensor, torch::Tensor> ends_of(const Edges& edges) {
  torch::Tensor from = torch::empty({static_cast<std::int64_t>(edges.size())}, torch::kLong), to = from.clone();
  for (std::size_t i = 0; i < edges.size(); ++i) {
    from.data_ptr<std::int64_t>()[i] = edges[i].first;
    to.data_ptr<std::int64_t>()[i] = edges[i].second;
  }
  return {from, to};
}

}  // namespace

LayerTimes time_layers(std::size_t nodes, std::size_t threads) {
  torch::manual_seed(1);
  at::set_num_threads(static_cast<int>(threads));
  const Edges edges = local_edges(nodes);
  const Adjacency adjacency = make_adjacency(nodes, edges);
  std::vector<GraphSage> layers;
  for (std::size_t i = 0; i < kLayers; ++i) layers.emplace_back(kWidth, kWidth, Pool::max);
  const torch::Tensor input = torch::randn({static_cast<std::int64_t>(nodes), kWidth}).requires_grad_();
  LayerTimes times{.edges = edges.size(), .forward_ms = 1e9, .backward_ms = 1e9};
  for (std::size_t run = 0; run < kRuns; ++run) {
    Timer timer;
    torch::Tensor hidden = input;
    for (const GraphSage& layer : layers) hidden = layer.forward(hidden, adjacency);
    times.forward_ms = std::min(times.forward_ms, timer.seconds() * 1e3);
    timer = Timer();
    hidden.sum().backward();
    times.backward_ms = std::min(times.backward_ms, timer.seconds() * 1e3);
  }
  const auto with_gradient = [&](auto pool) {
    return best_ms([&] {
      const Timer timer;
      pool(input).sum().backward();
      return timer.seconds() * 1e3;
    });
  };
  times.pool_ms =
      with_gradient([&](const torch::Tensor& values) { return pool_neighbours(values, adjacency, Pool::max); });
  const auto [from, to] = ends_of(edges);
  times.scatter_ms = with_gradient([&, source = from, target = to](const torch::Tensor& values) {
    return scatter_max(torch::relu(values), source, target);
  });
  return times;
}

}  // namespace hone::learn
