#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "learn/network/graph_input.h"

namespace hone {

/// For tests: a graph with two edges a node to nodes behind it, some nodes without, and numbers drawn for all features.
class DrawnGraph {
 public:
  DrawnGraph(std::size_t nodes, std::size_t features, std::size_t edge_features, std::uint64_t seed) {
    Rng rng(seed);
    std::vector<std::vector<std::uint32_t>> before(nodes), after(nodes);
    for (std::uint32_t node = 2; node < nodes; ++node)
      for (std::uint32_t i = 0; i < node % 3; ++i) {
        const auto from = static_cast<std::uint32_t>(rng.below(node));
        before[node].push_back(from);
        after[from].push_back(node);
      }
    for (std::vector<std::uint32_t>& list : before) std::ranges::sort(list);
    in_ = FlatLists<std::uint32_t>(before);
    out_ = FlatLists<std::uint32_t>(after);
    rows_ = numbers(nodes * features, rng);
    edge_rows_ = numbers(in_.items().size() * edge_features, rng);
    sequence_.resize(nodes);
    std::iota(sequence_.rbegin(), sequence_.rend(), 0U);
    condition_ = numbers(features, rng);
    input_ = {.nodes = nodes,
              .rows = rows_,
              .edges = {&in_, &out_},
              .edge_rows = edge_rows_,
              .sequence = sequence_,
              .condition = condition_};
  }
  DrawnGraph(const DrawnGraph&) = delete;

  const GraphInput& input() const { return input_; }

 private:
  static std::vector<float> numbers(std::size_t count, Rng& rng) {
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>(rng.normal());
    return values;
  }

  FlatLists<std::uint32_t> in_, out_;
  std::vector<std::uint32_t> sequence_;
  std::vector<float> rows_, edge_rows_, condition_;
  GraphInput input_;
};

}  // namespace hone
