#include "learn/train/placeto_network.h"

#include <algorithm>

namespace hone::learn {
namespace {

/// Every row by its sum; rows of nothing stay so.
torch::Tensor shares_of(const torch::Tensor& counts) { return counts / counts.sum(1, true).clamp_min(1); }

/// Which nodes can be reached along edges, [nodes, nodes]. Clusters may lie on circles.
torch::Tensor reachable(const torch::Tensor& edges) {
  torch::Tensor reached = edges;
  for (std::int64_t steps = 1; steps < edges.size(0); steps *= 2)
    reached = torch::clamp(reached + torch::matmul(reached, reached), 0, 1);
  return reached;
}

}  // namespace

PlacetoNetwork::PlacetoNetwork(const GraphView& graph, const OperationClusters& clusters, const Sizes& sizes,
                               DrawnWeights& weights)
    : sizes_(sizes), nodes_(static_cast<std::int64_t>(clusters.count)), weights_(weights) {
  torch::Tensor edges = torch::zeros({nodes_, nodes_});
  fixed_ = torch::zeros({nodes_, 2});
  auto edge = edges.accessor<float, 2>();
  auto fixed = fixed_.accessor<float, 2>();
  for (std::size_t i = 0; i < graph.operations(); ++i) {
    const std::uint32_t from = clusters.cluster_of[i];
    fixed[from][0] += static_cast<float>(graph.least_seconds(i) * 1e3);
    for (const std::uint32_t reader : graph.after(i)) {
      const std::uint32_t to = clusters.cluster_of[reader];
      if (from == to) continue;
      edge[from][to] = 1;
      fixed[from][1] += static_cast<float>(graph.made_bytes(i) * 1e-6);
    }
  }
  fixed_ = fixed_ / fixed_.amax({0}, true).clamp_min(1e-9);
  from_after_ = shares_of(edges);
  from_before_ = shares_of(edges.t());
  const torch::Tensor after = reachable(edges);
  later_ = shares_of(after);
  earlier_ = shares_of(after.t());
  beside_ = shares_of(1 - torch::clamp(after + after.t() + torch::eye(nodes_), 0, 1));
  weights.add("node", 2 + sizes.devices + 2, sizes.width);
  for (const char* way : {"before", "after"}) {
    weights.add(std::string(way) + "_said", sizes.width, sizes.width);
    weights.add(std::string(way) + "_heard", sizes.width, sizes.width);
  }
  weights.add("hidden", 8 * sizes.width, sizes.width);
  weights.add("device", sizes.width, sizes.devices);
}

torch::Tensor PlacetoNetwork::rows_of(std::span<const State> states) const {
  const auto count = static_cast<std::int64_t>(states.size());
  torch::Tensor seen = torch::zeros({count, nodes_, sizes_.devices + 2});
  auto cells = seen.accessor<float, 3>();
  for (std::int64_t i = 0; i < count; ++i) {
    const State& state = states[static_cast<std::size_t>(i)];
    for (std::int64_t node = 0; node < nodes_; ++node) {
      cells[i][node][state.devices[static_cast<std::size_t>(node)]] = 1;
      cells[i][node][sizes_.devices] = node == state.moved ? 1 : 0;
      cells[i][node][sizes_.devices + 1] = node < state.moved ? 1 : 0;
    }
  }
  return torch::cat({fixed_.unsqueeze(0).expand({count, nodes_, 2}), seen}, 2);
}

torch::Tensor PlacetoNetwork::log_chances(std::span<const State> states) const {
  const torch::Tensor first = torch::relu(weights_.map("node", rows_of(states)));
  const auto spread = [&](const std::string& way, const torch::Tensor& neighbours) {
    torch::Tensor rows = first;
    for (std::int64_t round = 0; round < sizes_.rounds; ++round) {
      const torch::Tensor said = torch::relu(weights_.map(way + "_said", rows));
      rows = first + torch::relu(weights_.map(way + "_heard", torch::matmul(neighbours, said)));
    }
    return rows;
  };
  const torch::Tensor rows = torch::cat({spread("before", from_before_), spread("after", from_after_)}, 2);
  std::vector<std::int64_t> moved;
  for (const State& state : states) moved.push_back(state.moved);
  const torch::Tensor index = torch::tensor(moved);
  const auto pooled = [&](const torch::Tensor& shares) {  // [states, 2 * width]
    return torch::matmul(shares.index_select(0, index).unsqueeze(1), rows).squeeze(1);
  };
  const torch::Tensor own = rows.gather(1, index.view({-1, 1, 1}).expand({-1, 1, rows.size(2)})).squeeze(1);
  const torch::Tensor hidden =
      torch::relu(weights_.map("hidden", torch::cat({own, pooled(earlier_), pooled(later_), pooled(beside_)}, 1)));
  return torch::log_softmax(weights_.map("device", hidden), 1);
}

}  // namespace hone::learn
