#include <algorithm>
#include <numeric>

#include "learn/train/neighbours.h"

namespace hone::learn {
namespace {

using Edge = std::pair<std::int32_t, std::int32_t>;

torch::Tensor tensor_of(const std::vector<std::int32_t>& values) {
  torch::Tensor tensor = torch::empty({static_cast<std::int64_t>(values.size())}, torch::kInt);
  std::ranges::copy(values, tensor.data_ptr<std::int32_t>());
  return tensor;
}

/// Where the entries of each node begin.
template <class End>
std::vector<std::int32_t> begins(std::size_t nodes, std::span<const Edge> edges, End end) {
  std::vector<std::int32_t> begin(nodes + 1);
  for (const Edge& edge : edges) ++begin[static_cast<std::size_t>(end(edge)) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  return begin;
}

/// Edges in a given order, sorted by one end without changing the order of those that share it.
template <class End>
std::vector<std::int32_t> sorted_by(std::vector<std::int32_t> begin, const std::vector<std::int32_t>& order,
                                    std::span<const Edge> edges, End end) {
  std::vector<std::int32_t> sorted(order.size());
  for (const std::int32_t edge : order) {
    const Edge& ends = edges[static_cast<std::size_t>(edge)];
    sorted[static_cast<std::size_t>(begin[static_cast<std::size_t>(end(ends))]++)] = edge;
  }
  return sorted;
}

/// By place in one order the place in the other.
std::vector<std::int32_t> places(const std::vector<std::int32_t>& here, const std::vector<std::int32_t>& there) {
  std::vector<std::int32_t> place_of(there.size()), places;
  for (std::size_t i = 0; i < there.size(); ++i)
    place_of[static_cast<std::size_t>(there[i])] = static_cast<std::int32_t>(i);
  for (const std::int32_t edge : here) places.push_back(place_of[static_cast<std::size_t>(edge)]);
  return places;
}

}  // namespace

Adjacency make_adjacency(std::size_t nodes, std::span<const Edge> edges) {
  const auto from = [](const Edge& edge) { return edge.first; };
  const auto to = [](const Edge& edge) { return edge.second; };
  const std::vector<std::int32_t> out_begin = begins(nodes, edges, from), in_begin = begins(nodes, edges, to);
  std::vector<std::int32_t> given(edges.size());
  std::iota(given.begin(), given.end(), 0);
  // Twice, so that the other ends ascend as well: neighbours in memory are read one after another.
  const std::vector<std::int32_t> by_from = sorted_by(out_begin, given, edges, from);
  const std::vector<std::int32_t> in_order = sorted_by(in_begin, by_from, edges, to);
  const std::vector<std::int32_t> out_order = sorted_by(out_begin, in_order, edges, from);
  std::vector<std::int32_t> in, out;
  for (const std::int32_t edge : in_order) in.push_back(edges[static_cast<std::size_t>(edge)].first);
  for (const std::int32_t edge : out_order) out.push_back(edges[static_cast<std::size_t>(edge)].second);
  return {tensor_of(in_begin),
          tensor_of(in),
          tensor_of(out_begin),
          tensor_of(out),
          tensor_of(places(in_order, out_order)),
          tensor_of(places(out_order, in_order))};
}

Adjacency Adjacency::to(const torch::Device& device) const {
  return {in_begin.to(device), in.to(device),       out_begin.to(device),
          out.to(device),      in_place.to(device), out_place.to(device)};
}

torch::Tensor sources_of(const Adjacency& edges) { return edges.in.to(torch::kLong); }

torch::Tensor targets_of(const Adjacency& edges) {
  const torch::Tensor begin = edges.in_begin.to(torch::kLong);
  const torch::Tensor nodes = torch::arange(edges.nodes(), begin.options());
  return torch::repeat_interleave(nodes, begin.slice(0, 1) - begin.slice(0, 0, -1));
}

}  // namespace hone::learn
