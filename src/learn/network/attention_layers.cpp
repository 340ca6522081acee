// Attention: layers in which scores say how much a node takes of others.

#include <cmath>
#include <numeric>

#include "learn/network/layers.h"
#include "learn/network/linear_map.h"
#include "learn/network/vectorised.h"

namespace hone {
namespace {

float product(std::span<const float> one, std::span<const float> other) {
  return std::inner_product(one.begin(), one.end(), other.begin(), 0.0F);
}

/// Scores become shares that sum up to one.
void softmax(std::vector<float>& scores) {
  if (scores.empty()) return;
  const float most = *std::ranges::max_element(scores);
  float sum = 0;
  for (float& score : scores) sum += score = std::exp(score - most);
  for (float& score : scores) score /= sum;
}

/// An edge as one node sees it.
struct NearEdge {
  std::uint32_t other, edge;
};

/// By node: its edges of a direction; `edge` is its number.
std::vector<std::vector<NearEdge>> near_edges(const GraphInput& graph, EdgeDirection direction) {
  std::vector<std::vector<NearEdge>> near(graph.nodes);
  for (std::uint32_t node = 0; node < graph.nodes; ++node)
    for (std::uint32_t edge = graph.edges.first_into(node); edge < graph.edges.first_into(node + 1); ++edge) {
      const std::uint32_t from = graph.edges.in->items()[edge];
      if (direction == EdgeDirection::forward) near[node].push_back({from, edge});
      else near[from].push_back({node, edge});
    }
  return near;
}

class GraphAttention final : public Layer {
 public:
  GraphAttention(const LayerSpec& spec, const LayerArrays& arrays)
      : direction_(spec.direction),
        width_(spec.outputs),
        value_(arrays, "value."),
        edge_(arrays, "edge."),
        to_(arrays.at("to").values),
        from_(arrays.at("from").values) {}

  std::vector<float> run(const std::vector<float>& rows, const GraphInput& graph) const override {
    const std::vector<float> values = value_.of(rows, graph.nodes);
    const std::vector<float> about = edge_.of(graph.edge_rows, graph.edges.count());
    const auto value = [&](std::size_t node) { return std::span(values).subspan(node * width_, width_); };
    const std::vector<std::vector<NearEdge>> near = near_edges(graph, direction_);
    std::vector<float> out(values.size()), scores;
    for (std::size_t node = 0; node < graph.nodes; ++node) {
      scores.clear();
      const float own = product(value(node), to_);
      for (const NearEdge& edge : near[node]) {
        const float score = own + product(value(edge.other), from_) + about[edge.edge];
        scores.push_back(score > 0 ? score : kAttentionSlope * score);
      }
      softmax(scores);
      for (std::size_t k = 0; k < scores.size(); ++k)
        for (std::size_t i = 0; i < width_; ++i)
          out[node * width_ + i] += scores[k] * values[near[node][k].other * width_ + i];
    }
    return out;
  }

 private:
  EdgeDirection direction_;
  std::size_t width_;
  LinearMap value_, edge_;
  std::vector<float> to_, from_;
};

/// Rows of a segment, kept while the next one is read.
struct Segment {
  std::size_t nodes = 0;
  std::vector<float> keys;    // a column a node, so that the scores of a query lie side by side
  std::vector<float> values;  // a row a node
};

class SegmentAttention final : public Layer {
 public:
  SegmentAttention(const LayerSpec& spec, const LayerArrays& arrays)
      : width_(spec.inputs),
        segment_(spec.segment),
        query_(arrays, "query."),
        key_(arrays, "key."),
        value_(arrays, "value.") {}

  std::vector<float> run(const std::vector<float>& rows, const GraphInput& graph) const override {
    std::vector<float> out(rows.size());
    Segment past;
    for (std::size_t begin = 0; begin < graph.nodes; begin += segment_) {
      const auto nodes = graph.sequence.subspan(begin, std::min(segment_, graph.nodes - begin));
      std::vector<float> read;
      for (const std::uint32_t node : nodes)
        read.insert(read.end(), rows.begin() + node * width_, rows.begin() + (node + 1) * width_);
      const Segment present{nodes.size(), in_columns(key_.of(read, nodes.size()), nodes.size()),
                            value_.of(read, nodes.size())};
      const std::vector<float> queries = query_.of(read, nodes.size());
      for (std::size_t i = 0; i < nodes.size(); ++i)
        attend(queries.data() + i * width_, past, present, out.data() + nodes[i] * width_);
      past = present;
    }
    return out;
  }

 private:
  std::vector<float> in_columns(const std::vector<float>& rows, std::size_t count) const {
    std::vector<float> columns(rows.size());
    for (std::size_t row = 0; row < count; ++row)
      for (std::size_t i = 0; i < width_; ++i) columns[i * count + row] = rows[row * width_ + i];
    return columns;
  }

  void attend(const float* query, const Segment& past, const Segment& present, float* sums) const {
    std::vector<float> scores(past.nodes + present.nodes);
    add_scores(query, past, scores.data());
    add_scores(query, present, scores.data() + past.nodes);
    softmax(scores);
    add_values(scores.data(), past, sums);
    add_values(scores.data() + past.nodes, present, sums);
  }

  void add_scores(const float* query, const Segment& seen, float* scores) const {
    const float scale = 1 / std::sqrt(static_cast<float>(width_));
    const std::size_t width = width_, nodes = seen.nodes;
    const float* keys = seen.keys.data();
    vectorised([=](auto) HONE_INLINED {
      float* __restrict sums = scores;
      for (std::size_t i = 0; i < width; ++i) {
        const float value = query[i] * scale;
        const float* column = keys + i * nodes;
        for (std::size_t k = 0; k < nodes; ++k) sums[k] += value * column[k];
      }
    });
  }

  void add_values(const float* scores, const Segment& seen, float* out) const {
    const std::size_t width = width_, nodes = seen.nodes;
    const float* values = seen.values.data();
    vectorised([=](auto) HONE_INLINED {
      float* __restrict sums = out;
      for (std::size_t k = 0; k < nodes; ++k) {
        const float share = scores[k];
        const float* row = values + k * width;
        for (std::size_t i = 0; i < width; ++i) sums[i] += share * row[i];
      }
    });
  }

  std::size_t width_, segment_;
  LinearMap query_, key_, value_;
};

std::vector<ArraySpec> graph_attention_arrays(const LayerSpec& spec) {
  const double deviation = spec.gain / std::sqrt(static_cast<double>(spec.outputs));
  return {matrix("value.weight", spec.outputs, spec.inputs, spec),
          zeros("value.bias", spec.outputs),
          matrix("edge.weight", 1, spec.edge_features, spec),
          zeros("edge.bias", 1),
          {"to", {spec.outputs}, deviation},
          {"from", {spec.outputs}, deviation}};
}

std::vector<ArraySpec> segment_attention_arrays(const LayerSpec& spec) {
  std::vector<ArraySpec> arrays;
  for (const std::string name : {"query", "key", "value"}) {
    arrays.push_back(matrix(name + ".weight", spec.outputs, spec.inputs, spec));
    arrays.push_back(zeros(name + ".bias", spec.outputs));
  }
  return arrays;
}

}  // namespace

const LayerKind graph_attention_layer("graph-attention", graph_attention_arrays, make_layer<GraphAttention>);
const LayerKind segment_attention_layer("segment-attention", segment_attention_arrays, make_layer<SegmentAttention>);

}  // namespace hone
