#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "learn/policy/encoder_network.h"
#include "learn/policy/graph_view.h"

namespace hone {

/// Names what the columns of `Features` and all features mean. A policy that was trained on others is refused.
inline constexpr std::string_view kFeatureSchema = "hone-works-3";
inline constexpr std::size_t kFeatures = 24;

/// What a network sees of each operation, a row an operation, and of each edge. All columns are free of scale: bytes
/// and seconds are taken relative to the mean of the graph and then by logarithm, times relative to the critical path,
/// so that small graphs teach large ones.
struct Features {
  std::size_t operations = 0;
  std::vector<float> rows;       // operations * kFeatures
  std::vector<float> edge_rows;  // edges * kEdgeFeatures

  std::span<const float> row(std::size_t operation) const {
    return std::span(rows).subspan(operation * kFeatures, kFeatures);
  }
};

/// `due` is the reference order, by operation.
Features features_of(const GraphView& graph, std::span<const float> due);

/// What networks are evaluated on, given rows of operations and edges of any width; both must outlive it.
template <class Rows>
GraphInput input_of(const GraphView& graph, const Rows& features) {
  return {.nodes = graph.operations(),
          .rows = features.rows,
          .edges = graph.edges(),
          .edge_rows = features.edge_rows,
          .sequence = graph.sequence(),
          .condition = {}};
}

}  // namespace hone
