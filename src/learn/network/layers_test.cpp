// Every layer against its formula, number by number in double precision.

#include "learn/network/layers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/error.h"
#include "learn/network/drawn_graph_test.h"
#include "learn/network/network.h"

namespace hone {
namespace {

using Row = std::vector<double>;

constexpr std::size_t kNodes = 9, kWide = 4, kNarrow = 3;

/// One layer with drawn arrays, and rows of numbers as its formula needs them.
class LayerFormula {
 public:
  explicit LayerFormula(LayerSpec layer) : graph_(kNodes, kWide, 2, 5) {
    layer.name = "layer";
    layer.inputs = kWide;
    layer.edge_features = 2;
    spec_.layers = {layer};
    draw_arrays(spec_, 3, contents_);
    Rng rng(4);
    for (auto& [name, array] : contents_.arrays)  // biases, too
      for (float& value : array.values) value += static_cast<float>(0.3 * rng.normal());
  }

  const GraphInput& graph() const { return graph_.input(); }
  Row row(std::size_t node) const { return take(graph().rows, node, kWide); }
  Row edge(std::size_t index) const { return take(graph().edge_rows, index, 2); }
  /// An array of one dimension.
  Row array(const std::string& name) const {
    const std::vector<float>& values = contents_.arrays.at("layer." + name).values;
    return {values.begin(), values.end()};
  }
  Row product(const std::string& name, const Row& row) const {
    const NamedArray& matrix = contents_.arrays.at("layer." + name);
    Row out(matrix.shape[0]);
    for (std::size_t i = 0; i < out.size(); ++i)
      for (std::size_t j = 0; j < row.size(); ++j)
        out[i] += static_cast<double>(matrix.values[i * row.size() + j]) * row[j];
    return out;
  }
  Row map(const std::string& name, const Row& row) const {
    return sum(product(name + "weight", row), array(name + "bias"));
  }

  static Row sum(Row one, const Row& other) {
    for (std::size_t i = 0; i < one.size(); ++i) one[i] += other[i];
    return one;
  }
  static Row scaled(Row row, double factor) {
    for (double& value : row) value *= factor;
    return row;
  }
  static Row relu(Row row) {
    for (double& value : row) value = std::max(value, 0.0);
    return row;
  }
  static double dot(const Row& one, const Row& other) {
    return std::inner_product(one.begin(), one.end(), other.begin(), 0.0);
  }
  static Row weighted_mean(const std::vector<Row>& rows, const Row& scores, std::size_t width) {
    Row out(width);
    double total = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      out = sum(out, scaled(rows[k], std::exp(scores[k])));
      total += std::exp(scores[k]);
    }
    return rows.empty() ? out : scaled(out, 1 / total);
  }

  template <class Expected>
  void check(Expected expected) const {
    const std::vector<float> out = Network(spec_, contents_, "test").run(graph());
    const std::size_t width = spec_.outputs();
    ASSERT_EQ(out.size(), kNodes * width);
    for (std::size_t node = 0; node < kNodes; ++node) {
      const Row wanted = expected(node);
      ASSERT_EQ(wanted.size(), width);
      for (std::size_t i = 0; i < width; ++i) EXPECT_NEAR(out[node * width + i], wanted[i], 1e-5) << node << " " << i;
    }
  }

 private:
  static Row take(std::span<const float> values, std::size_t index, std::size_t width) {
    const std::span<const float> part = values.subspan(index * width, width);
    return {part.begin(), part.end()};
  }

  NetworkSpec spec_;
  DrawnGraph graph_;
  Safetensors contents_;
};

Row mean_of_rows(const LayerFormula& layer, std::span<const std::uint32_t> nodes) {
  Row sum(kWide);
  for (const std::uint32_t node : nodes) sum = LayerFormula::sum(sum, layer.row(node));
  return nodes.empty() ? sum : LayerFormula::scaled(sum, 1 / static_cast<double>(nodes.size()));
}

TEST(DenseLayer, IsAMatrixAndABiasThroughAnActivation) {
  const LayerFormula layer({.kind = &dense_layer, .outputs = kNarrow, .activation = Activation::tanh});
  layer.check([&](std::size_t node) {
    Row row = layer.map("", layer.row(node));
    for (double& value : row) value = std::tanh(value);
    return row;
  });
}

TEST(NormLayer, LeavesRowsWithoutMeanAndOfDeviationOne) {
  const LayerFormula layer({.kind = &norm_layer, .outputs = kWide});
  layer.check([&](std::size_t node) {
    Row row = layer.row(node);
    const double mean = std::accumulate(row.begin(), row.end(), 0.0) / kWide;
    double square = 0;
    for (double& value : row) {
      value -= mean;
      square += value * value / kWide;
    }
    for (std::size_t i = 0; i < kWide; ++i)
      row[i] = row[i] / std::sqrt(square + 1e-5) * layer.array("weight")[i] + layer.array("bias")[i];
    return row;
  });
}

TEST(MessagesLayer, AddsMeansOfBothDirections) {
  const LayerFormula layer(
      {.kind = &messages_layer, .outputs = kWide, .activation = Activation::relu, .residual = Residual::added});
  layer.check([&](std::size_t node) {
    Row sum = LayerFormula::sum(layer.product("self", layer.row(node)), layer.array("bias"));
    sum = LayerFormula::sum(sum, layer.product("before", mean_of_rows(layer, layer.graph().edges.into(node))));
    sum = LayerFormula::sum(sum, layer.product("after", mean_of_rows(layer, layer.graph().edges.out_of(node))));
    return LayerFormula::sum(LayerFormula::relu(sum), layer.row(node));
  });
}

TEST(MaxPoolLayer, TakesTheMostThatNeighboursSend) {
  for (const EdgeDirection direction : {EdgeDirection::forward, EdgeDirection::backward}) {
    const LayerFormula layer({.kind = &max_pool_layer, .outputs = kNarrow, .direction = direction});
    layer.check([&](std::size_t node) {
      const NodeEdges& edges = layer.graph().edges;
      Row most(kWide);
      for (const std::uint32_t other : direction == EdgeDirection::forward ? edges.into(node) : edges.out_of(node)) {
        const Row sent = LayerFormula::relu(layer.map("neighbour.", layer.row(other)));
        for (std::size_t i = 0; i < kWide; ++i) most[i] = std::max(most[i], sent[i]);
      }
      return LayerFormula::sum(layer.map("self.", layer.row(node)), layer.product("pooled", most));
    });
  }
}

TEST(EdgeMessagesLayer, SumsMessagesOfBothEndsAndTheEdge) {
  const LayerFormula layer({.kind = &edge_messages_layer, .outputs = kNarrow});
  const NodeEdges& edges = layer.graph().edges;
  layer.check([&](std::size_t node) {
    Row sum(kWide);
    for (std::size_t target = 0; target < kNodes; ++target)
      for (std::size_t edge = edges.first_into(target); edge < edges.first_into(target + 1); ++edge) {
        const std::size_t source = edges.in->items()[edge];
        const Row about = layer.map("edge.", layer.edge(edge));
        const auto message = [&](const std::string& name, std::size_t from) {
          return LayerFormula::relu(LayerFormula::sum(layer.map(name, layer.row(from)), about));
        };
        if (target == node) sum = LayerFormula::sum(sum, message("from.", source));
        if (source == node) sum = LayerFormula::sum(sum, message("back.", target));
      }
    return LayerFormula::sum(layer.map("update.", layer.row(node)), layer.product("received", sum));
  });
}

TEST(GraphAttentionLayer, WeighsNeighboursByASoftmax) {
  for (const EdgeDirection direction : {EdgeDirection::forward, EdgeDirection::backward}) {
    const LayerFormula layer({.kind = &graph_attention_layer, .outputs = kNarrow, .direction = direction});
    const NodeEdges& edges = layer.graph().edges;
    layer.check([&](std::size_t node) {
      std::vector<Row> values;
      Row scores;
      for (std::size_t target = 0; target < kNodes; ++target)
        for (std::size_t edge = edges.first_into(target); edge < edges.first_into(target + 1); ++edge) {
          const std::size_t source = edges.in->items()[edge];
          const bool is_forward = direction == EdgeDirection::forward;
          if ((is_forward ? target : source) != node) continue;
          values.push_back(layer.map("value.", layer.row(is_forward ? source : target)));
          const double score = LayerFormula::dot(layer.map("value.", layer.row(node)), layer.array("to")) +
                               LayerFormula::dot(values.back(), layer.array("from")) +
                               layer.map("edge.", layer.edge(edge))[0];
          scores.push_back(score > 0 ? score : 0.2 * score);
        }
      return LayerFormula::weighted_mean(values, scores, kNarrow);
    });
  }
}

/// Attention of each node to those at some places of the sequence.
void check_attention(std::size_t segment, const std::function<bool(std::size_t from, std::size_t to)>& sees) {
  const LayerFormula layer({.kind = &segment_attention_layer, .outputs = kWide, .segment = segment});
  layer.check([&](std::size_t node) {
    const std::span<const std::uint32_t> sequence = layer.graph().sequence;
    const auto at = static_cast<std::size_t>(std::ranges::find(sequence, node) - sequence.begin());
    const Row query = layer.map("query.", layer.row(node));
    std::vector<Row> values;
    Row scores;
    for (std::size_t place = 0; place < kNodes; ++place) {
      if (!sees(at, place)) continue;
      values.push_back(layer.map("value.", layer.row(sequence[place])));
      scores.push_back(LayerFormula::dot(query, layer.map("key.", layer.row(sequence[place]))) / std::sqrt(kWide));
    }
    return LayerFormula::weighted_mean(values, scores, kWide);
  });
}

TEST(SegmentAttentionLayer, SeesItsOwnSegmentAndTheOneBefore) {
  check_attention(2, [](std::size_t from, std::size_t to) { return to / 2 == from / 2 || to / 2 + 1 == from / 2; });
}

TEST(SegmentAttentionLayer, IsFullAttentionWhereOneSegmentCoversTheGraph) {
  check_attention(kNodes, [](std::size_t, std::size_t) { return true; });
}

TEST(Network, DrawsAnArrayByItsNameWhateverElseThereIs) {
  NetworkSpec one{
      .prefix = "p.", .layers = {{.name = "a", .kind = &dense_layer, .inputs = 3, .outputs = 2}}, .free = {}};
  NetworkSpec two = one;
  two.layers.insert(two.layers.begin(), {.name = "first", .kind = &dense_layer, .inputs = 3, .outputs = 3});
  two.free.push_back(zeros("wait", 4));
  Safetensors of_one, of_two, other_seed;
  draw_arrays(one, 7, of_one);
  draw_arrays(two, 7, of_two);
  draw_arrays(one, 8, other_seed);
  EXPECT_EQ(of_one.arrays.at("p.a.weight"), of_two.arrays.at("p.a.weight"));
  EXPECT_NE(of_one.arrays.at("p.a.weight"), other_seed.arrays.at("p.a.weight"));
  EXPECT_EQ(of_two.arrays.at("p.wait").values, std::vector<float>(4));
  EXPECT_EQ(Network(two, of_two, "test").free("wait").size(), 4U);
}

TEST(Network, RefusesArraysThatAreMissingOrHaveAnotherShape) {
  for (const LayerKind* kind : LayerKind::all()) {
    const NetworkSpec spec{
        .prefix = "",
        .layers = {{.name = "a", .kind = kind, .inputs = 3, .outputs = 3, .edge_features = 2, .segment = 2}},
        .free = {}};
    Safetensors contents;
    draw_arrays(spec, 1, contents);
    EXPECT_NO_THROW(Network(spec, contents, "test")) << kind->name();
    for (const auto& [name, array] : contents.arrays) {
      Safetensors broken = contents;
      broken.arrays.at(name).shape.push_back(1);
      EXPECT_THROW(Network(spec, broken, "test"), InputError) << name;
      broken.arrays.erase(name);
      EXPECT_THROW(Network(spec, broken, "test"), InputError) << name;
    }
  }
}

}  // namespace
}  // namespace hone
