#include "learn/train/batch.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace hone::learn {
namespace {

using Edge = std::pair<std::int32_t, std::int32_t>;

/// Rows of edges in the order in which an adjacency has them: by where they go to, then by where they come from.
std::vector<float> sorted_rows(const std::vector<Edge>& edges, const std::vector<float>& rows) {
  const std::size_t width = edges.empty() ? 0 : rows.size() / edges.size();
  std::vector<std::size_t> order(edges.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return std::pair(edges[i].second, edges[i].first); });
  std::vector<float> sorted;
  sorted.reserve(rows.size());
  for (const std::size_t edge : order)
    for (std::size_t i = 0; i < width; ++i) sorted.push_back(rows[edge * width + i]);
  return sorted;
}

}  // namespace

torch::Device device_named(const std::string& name) {
  const torch::Device device(name);
  if (device.is_cuda() && !torch::cuda::is_available())
    throw InputError("libtorch finds no CUDA device here", ExitCode::backend_missing);
  return device;
}

torch::Tensor to_tensor(const NamedArray& array) {
  const std::vector<std::int64_t> shape(array.shape.begin(), array.shape.end());
  torch::Tensor tensor = torch::empty(shape, torch::kFloat);
  std::ranges::copy(array.values, tensor.data_ptr<float>());
  return tensor;
}

NamedArray to_array(const torch::Tensor& tensor) {
  const torch::Tensor plain = tensor.detach().to(torch::kCPU).contiguous();
  NamedArray array;
  for (const std::int64_t dim : plain.sizes()) array.shape.push_back(static_cast<std::size_t>(dim));
  const float* values = plain.data_ptr<float>();
  array.values.assign(values, values + plain.numel());
  return array;
}

Batch make_batch(std::span<const GraphInput> graphs) {
  Batch batch;
  std::vector<Edge> edges;
  std::vector<float> rows, edge_rows, conditions;
  std::size_t nodes = 0;
  for (const GraphInput& graph : graphs) {
    batch.first.push_back(static_cast<std::int64_t>(nodes));
    rows.insert(rows.end(), graph.rows.begin(), graph.rows.end());
    edge_rows.insert(edge_rows.end(), graph.edge_rows.begin(), graph.edge_rows.end());
    conditions.insert(conditions.end(), graph.condition.begin(), graph.condition.end());
    for (std::size_t node = 0; node < graph.nodes; ++node)
      for (const std::uint32_t from : graph.edges.into(node))
        edges.emplace_back(static_cast<std::int32_t>(nodes + from), static_cast<std::int32_t>(nodes + node));
    batch.sequences.emplace_back();
    for (const std::uint32_t node : graph.sequence)
      batch.sequences.back().push_back(static_cast<std::int64_t>(nodes + node));
    nodes += graph.nodes;
  }
  batch.edges = make_adjacency(nodes, edges);
  batch.features = to_tensor({.shape = {nodes, rows.size() / std::max<std::size_t>(1, nodes)}, .values = rows});
  const std::size_t columns = edges.empty() ? 0 : edge_rows.size() / edges.size();
  batch.edge_rows = to_tensor({.shape = {edges.size(), columns}, .values = sorted_rows(edges, edge_rows)});
  if (!conditions.empty())
    batch.condition = to_tensor({.shape = {graphs.size(), conditions.size() / graphs.size()}, .values = conditions});
  return batch;
}

torch::Tensor Batch::rows_of(const torch::Tensor& rows, std::size_t graph) const {
  return rows.slice(0, first[graph], graph + 1 < first.size() ? first[graph + 1] : rows.size(0));
}

Batch Batch::to(const torch::Device& device) const {
  if (device.is_cpu()) return *this;
  return {features.to(device),
          edges.to(device),
          edge_rows.to(device),
          first,
          sequences,
          condition.defined() ? condition.to(device) : condition};
}

}  // namespace hone::learn
