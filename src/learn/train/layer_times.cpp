#include "learn/train/layer_times.h"

#include <ctime>

#include "base/random.h"
#include "base/timer.h"
#include "learn/network/layers.h"
#include "learn/train/torch_network.h"

namespace hone::learn {
namespace {

constexpr std::int64_t kTimedWidth = 128;
constexpr std::size_t kLayers = 3, kRuns = 7, kWindow = 200;

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

/// Keeps the shortest times.
template <class Body>
void time_once(Took& took, Body body) {
  const std::clock_t before = std::clock();
  const Timer timer;
  body();
  took.ms = std::min(took.ms, timer.seconds() * 1e3);
  took.cpu_ms = std::min(took.cpu_ms, static_cast<double>(std::clock() - before) * 1e3 / CLOCKS_PER_SEC);
}

/// What others do: a row for every edge, and a reduction by index.
torch::Tensor scatter_max(const torch::Tensor& values, const torch::Tensor& from, const torch::Tensor& to) {
  const torch::Tensor rows = values.index_select(0, from);
  return torch::zeros_like(values).scatter_reduce(0, to.unsqueeze(1).expand_as(rows), rows, "amax", false);
}

}  // namespace

LayerTimes time_layers(std::size_t nodes, std::size_t threads) {
  torch::manual_seed(1);
  at::set_num_threads(static_cast<int>(threads));
  const Edges edges = local_edges(nodes);
  const Adjacency adjacency = make_adjacency(nodes, edges);
  NetworkSpec spec;
  for (std::size_t i = 0; i < kLayers; ++i)
    spec.layers.push_back({.name = std::to_string(i),
                           .kind = &max_pool_layer,
                           .inputs = kTimedWidth,
                           .outputs = kTimedWidth,
                           .activation = Activation::relu});
  Safetensors contents;
  draw_arrays(spec, 1, contents);
  TorchNetwork network(spec, contents, "layers");
  const torch::Tensor input = torch::randn({static_cast<std::int64_t>(nodes), kTimedWidth}).requires_grad_();
  const torch::Tensor gradient = torch::randn_like(input).detach();
  std::vector<torch::Tensor> inputs{input};
  for (const auto& [name, parameter] : network.parameters()) inputs.push_back(parameter);
  Batch batch;
  batch.features = input;
  batch.edges = adjacency;
  const torch::Tensor from = sources_of(adjacency), to = targets_of(adjacency);
  LayerTimes times{.edges = edges.size()};
  // All of them in turn, so that what else runs on the machine slows all of them down.
  for (std::size_t run = 0; run < kRuns; ++run) {
    torch::Tensor hidden;
    time_once(times.forward, [&] { hidden = network.forward(batch); });
    time_once(times.backward, [&] { torch::autograd::grad({hidden}, inputs, {gradient}); });
    hidden = torch::Tensor();
    time_once(times.pool,
              [&] { torch::autograd::grad({pool_neighbours(input, adjacency, Pool::max)}, {input}, {gradient}); });
    time_once(times.scatter, [&] { torch::autograd::grad({scatter_max(input, from, to)}, {input}, {gradient}); });
  }
  return times;
}

}  // namespace hone::learn
