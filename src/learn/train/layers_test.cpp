// Layers against slow code that is obviously right, and their gradients against differences.

#include "learn/train/layers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/random.h"
#include "learn/train/product.h"

namespace hone::learn {
namespace {

using Edges = std::vector<std::pair<std::int32_t, std::int32_t>>;

/// Everything is done in double precision.
class LayerTest : public testing::Test {
 protected:
  LayerTest() {
    c10::set_default_dtype(caffe2::TypeMeta::Make<double>());
    torch::manual_seed(1);
  }
  ~LayerTest() override { c10::set_default_dtype(caffe2::TypeMeta::Make<float>()); }
};
using Neighbours = LayerTest;
using Layers = LayerTest;

/// A third of the nodes have no edges that come in, some edges stand there twice.
Edges random_edges(std::size_t nodes, std::size_t count, Rng& rng) {
  Edges edges;
  for (std::size_t i = 0; i < count; ++i)
    edges.emplace_back(static_cast<std::int32_t>(rng.below(nodes)),
                       static_cast<std::int32_t>(rng.below(nodes - nodes / 3)));
  edges.push_back(edges.front());
  return edges;
}

/// Features of edges that depend on nothing but their ends, named by `label`.
torch::Tensor edge_rows(const Adjacency& edges, const std::function<double(std::int64_t)>& label) {
  const torch::Tensor from = sources_of(edges), to = targets_of(edges);
  torch::Tensor rows = torch::empty({edges.edges(), 2});
  for (std::int64_t edge = 0; edge < edges.edges(); ++edge) {
    const double ends = 3 * label(from[edge].item<std::int64_t>()) + 5 * label(to[edge].item<std::int64_t>());
    rows[edge][0] = std::sin(ends);
    rows[edge][1] = std::cos(2 * ends);
  }
  return rows;
}

torch::Tensor edge_rows(const Adjacency& edges) {
  return edge_rows(edges, [](std::int64_t node) { return static_cast<double>(node); });
}

/// One of the layers, with features of edges made up for those that look at them.
struct Case {
  std::string name;
  Tensors parameters;
  std::function<torch::Tensor(const torch::Tensor&, const Adjacency&, const torch::Tensor&)> forward;
};

constexpr std::int64_t kInputs = 6, kOutputs = 4;

std::vector<Case> all_layers() {
  std::vector<Case> cases;
  for (const Pool pool : {Pool::sum, Pool::mean, Pool::max}) {
    const GraphSage layer(kInputs, kOutputs, pool);
    cases.push_back(
        {"GraphSage", layer.parameters(), [=](const torch::Tensor& rows, const Adjacency& edges, const torch::Tensor&) {
           return layer.forward(rows, edges);
         }});
  }
  const MessagePassing messages(kInputs, 2);
  cases.push_back({"MessagePassing", messages.parameters(),
                   [=](const torch::Tensor& rows, const Adjacency& edges, const torch::Tensor& about) {
                     return messages.forward(rows, edges, about);
                   }});
  const GraphAttention attention(kInputs, kOutputs, 2);
  cases.push_back({"GraphAttention", attention.parameters(),
                   [=](const torch::Tensor& rows, const Adjacency& edges, const torch::Tensor& about) {
                     return attention.forward(rows, edges, about);
                   }});
  return cases;
}

/// Compares the gradient of a weighted sum of results with differences, entry by entry.
void expect_gradient(const std::string& name, const Tensors& inputs, const std::function<torch::Tensor()>& result) {
  const torch::Tensor weight = torch::randn_like(result()).detach();
  const auto loss = [&] { return (result() * weight).sum(); };
  const Tensors gradients = torch::autograd::grad({loss()}, inputs);
  const torch::NoGradGuard no_gradient;
  constexpr double kStep = 1e-6;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    double* value = inputs[k].data_ptr<double>();
    const torch::Tensor gradient = gradients[k].contiguous();
    for (std::int64_t i = 0; i < inputs[k].numel(); ++i) {
      const double before = value[i];
      value[i] = before + kStep;
      const double up = loss().item<double>();
      value[i] = before - kStep;
      const double down = loss().item<double>();
      value[i] = before;
      ASSERT_NEAR(gradient.data_ptr<double>()[i], (up - down) / (2 * kStep), 1e-6)
          << name << ": entry " << i << " of input " << k;
    }
  }
}

TEST_F(Neighbours, GradientsOfAllKindsOfPoolingAreThoseOfDifferences) {
  Rng rng(1);
  const Adjacency edges = make_adjacency(9, random_edges(9, 20, rng));
  const torch::Tensor values = torch::randn({9, 5}).requires_grad_();
  for (const Pool pool : {Pool::sum, Pool::mean, Pool::max})
    expect_gradient("pool", {values}, [&] { return pool_neighbours(values, edges, pool); });
  const torch::Tensor scores = torch::randn({edges.edges()}).requires_grad_();
  expect_gradient("shares", {values, scores}, [&] { return pool_shares(values, share_out(scores, edges), edges); });
}

torch::Tensor pool_slowly(const torch::Tensor& values, const Edges& edges, Pool pool) {
  Tensors rows;
  for (std::int64_t node = 0; node < values.size(0); ++node) {
    Tensors near;
    for (const auto& [from, to] : edges)
      if (to == node) near.push_back(values[from]);
    if (near.empty()) rows.push_back(torch::zeros({values.size(1)}));
    else if (pool == Pool::sum) rows.push_back(torch::stack(near).sum(0));
    else if (pool == Pool::mean) rows.push_back(torch::stack(near).mean(0));
    else rows.push_back(std::get<0>(torch::stack(near).max(0)));
  }
  return torch::stack(rows);
}

TEST_F(Neighbours, PoolAsTheSlowWayDoes) {
  Rng rng(1);
  const Edges edges = random_edges(12, 40, rng);
  const Adjacency adjacency = make_adjacency(12, edges);
  const torch::Tensor values = torch::randn({12, 5});
  for (const Pool pool : {Pool::sum, Pool::mean, Pool::max})
    EXPECT_TRUE(torch::allclose(pool_neighbours(values, adjacency, pool), pool_slowly(values, edges, pool)));
}

TEST_F(Neighbours, EdgesKnowTheirPlacesInTheOtherOrder) {
  Rng rng(3);
  const Adjacency edges = make_adjacency(8, random_edges(8, 30, rng));
  const torch::Tensor from = sources_of(edges), to = targets_of(edges);
  const torch::Tensor turned_from = targets_of(edges.reversed()), turned_to = sources_of(edges.reversed());
  const torch::Tensor place = edges.in_place.to(torch::kLong);
  EXPECT_TRUE(torch::equal(turned_from.index_select(0, place), from));
  EXPECT_TRUE(torch::equal(turned_to.index_select(0, place), to));
  EXPECT_TRUE(torch::equal(edges.out_place.to(torch::kLong).index_select(0, place), torch::arange(edges.edges())));
}

TEST_F(Neighbours, SharesOfANodeSumUpToOneHoweverLargeTheScores) {
  const Adjacency edges = make_adjacency(4, Edges{{0, 1}, {2, 1}, {3, 1}, {0, 2}, {1, 2}});
  const torch::Tensor shares = share_out(torch::tensor({1000.0, 999.0, -1000.0, -2000.0, -2001.0}), edges);
  const double more = 1 / (1 + std::exp(-1.0));
  EXPECT_TRUE(torch::allclose(shares, torch::tensor({more, 1 - more, 0.0, more, 1 - more})));
}

TEST_F(Layers, ProductsOfAllShapesAreRight) {
  for (const auto& [rows, steps, columns] :
       std::vector<std::array<std::int64_t, 3>>{{1, 1, 1}, {13, 5, 17}, {6, 128, 128}, {31, 7, 70}, {8, 9, 130}}) {
    const torch::Tensor left = torch::randn({rows, steps}), right = torch::randn({columns, steps});
    torch::Tensor out = torch::ones({rows, columns});
    PackedMatrix<double> packed;
    packed.pack(MatrixView<const double>{right.data_ptr<double>(), columns, steps, steps}.transposed());
    const MatrixView<const double> factor{left.data_ptr<double>(), rows, steps, steps};
    const MatrixView<double> sum{out.data_ptr<double>(), rows, columns, columns};
    Ahead ahead;
    add_product(sum.constant(), factor, packed, sum, ahead);
    EXPECT_TRUE(torch::allclose(out, left.matmul(right.t()) + 1));
    const torch::Tensor row = torch::randn({columns});
    add_product({row.data_ptr<double>(), rows, columns, 0}, factor, packed, sum, ahead);
    EXPECT_TRUE(torch::allclose(out, left.matmul(right.t()) + row));
  }
}

TEST_F(Layers, CombinationsAreThoseOfLibtorchWithTheSameGradient) {
  const std::int64_t rows = 2100;  // some blocks and chunks
  Tensors inputs{torch::randn({7}).requires_grad_()};
  for (const std::int64_t width : {5, 3, 9}) {
    inputs.push_back(torch::randn({rows, width}).requires_grad_());
    inputs.push_back(torch::randn({7, width}).requires_grad_());
  }
  const torch::Tensor weight = torch::randn({rows, 7});
  for (std::size_t terms = 1; terms <= 3; ++terms)
    for (const Activation activation : {Activation::none, Activation::relu}) {
      std::vector<Term> given;
      torch::Tensor plain = inputs[0];
      for (std::size_t i = 0; i < terms; ++i) {
        given.push_back({inputs[1 + 2 * i], inputs[2 + 2 * i]});
        plain = plain + inputs[1 + 2 * i].matmul(inputs[2 + 2 * i].t());
      }
      if (activation == Activation::relu) plain = torch::relu(plain);
      const torch::Tensor own = combine(given, inputs[0], activation);
      ASSERT_TRUE(torch::allclose(own, plain));
      const Tensors used(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(1 + 2 * terms));
      const Tensors gradients = torch::autograd::grad({own}, used, {weight});
      const Tensors expected = torch::autograd::grad({plain}, used, {weight});
      for (std::size_t i = 0; i < used.size(); ++i) EXPECT_TRUE(torch::allclose(gradients[i], expected[i]));
    }
}

TEST_F(Layers, GradientsAreThoseOfDifferences) {
  Rng rng(2);
  const Adjacency edges = make_adjacency(8, random_edges(8, 18, rng));
  const torch::Tensor rows = torch::randn({8, kInputs}).requires_grad_();
  const torch::Tensor about = edge_rows(edges).requires_grad_();
  for (const Case& layer : all_layers()) {
    Tensors inputs = layer.parameters;
    inputs.push_back(rows);
    if (layer.name != "GraphSage") inputs.push_back(about);
    expect_gradient(layer.name, inputs, [&] { return layer.forward(rows, edges, about); });
  }
  const SegmentAttention segments(kInputs, 3);
  Tensors inputs = segments.parameters();
  inputs.push_back(rows);
  expect_gradient("SegmentAttention", inputs, [&] { return segments.forward(rows); });
}

TEST_F(Layers, DoNotDependOnTheOrderOfNodes) {
  Rng rng(2);
  const std::int32_t nodes = 10;
  Edges edges = random_edges(10, 25, rng), moved;
  for (const auto& [from, to] : edges) moved.emplace_back(nodes - 1 - from, nodes - 1 - to);
  std::ranges::reverse(moved);
  const Adjacency straight = make_adjacency(10, edges), turned = make_adjacency(10, moved);
  const torch::Tensor rows = torch::randn({nodes, kInputs});
  const torch::Tensor about =
      edge_rows(turned, [&](std::int64_t node) { return static_cast<double>(nodes - 1 - node); });
  for (const Case& layer : all_layers())
    EXPECT_TRUE(torch::allclose(layer.forward(rows, straight, edge_rows(straight)),
                                layer.forward(rows.flip(0), turned, about).flip(0)))
        << layer.name;
}

TEST_F(Layers, ManyGraphsSideBySideAreLikeOneByOne) {
  Rng rng(4);
  const std::size_t sizes[] = {5, 1, 8};
  Edges all;
  Tensors rows, abouts;
  std::vector<Adjacency> alone;
  std::int32_t first = 0;
  for (const std::size_t size : sizes) {
    const Edges edges = size == 1 ? Edges() : random_edges(size, 2 * size, rng);
    for (const auto& [from, to] : edges) all.emplace_back(first + from, first + to);
    first += static_cast<std::int32_t>(size);
    alone.push_back(make_adjacency(size, edges));
    abouts.push_back(edge_rows(alone.back()));
    rows.push_back(torch::randn({static_cast<std::int64_t>(size), kInputs}));
  }
  const Adjacency together = make_adjacency(static_cast<std::size_t>(first), all);
  for (const Case& layer : all_layers()) {
    Tensors parts;
    for (std::size_t i = 0; i < rows.size(); ++i) parts.push_back(layer.forward(rows[i], alone[i], abouts[i]));
    EXPECT_TRUE(torch::allclose(layer.forward(torch::cat(rows), together, torch::cat(abouts)), torch::cat(parts)))
        << layer.name;
  }
}

torch::Tensor map(const torch::Tensor& row, const torch::Tensor& weight) { return weight.matmul(row); }

TEST_F(Layers, GraphSageIsWhatItSays) {
  Rng rng(5);
  const Edges edges = random_edges(9, 20, rng);
  const torch::Tensor rows = torch::randn({9, kInputs});
  for (const Pool pool : {Pool::mean, Pool::max}) {
    const GraphSage layer(kInputs, kOutputs, pool);
    const Tensors p = layer.parameters();  // pooled, then for max the neighbours' map, then the own one
    const std::size_t own = pool == Pool::max ? 3 : 1;
    const torch::Tensor sent = pool == Pool::max ? torch::relu(rows.matmul(p[1].t()) + p[2]) : rows;
    const torch::Tensor pooled = pool_slowly(sent, edges, pool);
    const torch::Tensor result = layer.forward(rows, make_adjacency(9, edges));
    for (std::int64_t node = 0; node < 9; ++node)
      EXPECT_TRUE(
          torch::allclose(result[node], torch::relu(map(rows[node], p[own]) + p[own + 1] + map(pooled[node], p[0]))));
  }
}

TEST_F(Layers, MessagePassingIsWhatItSays) {
  Rng rng(6);
  const Adjacency edges = make_adjacency(7, random_edges(7, 15, rng));
  const torch::Tensor rows = torch::randn({7, kInputs}), about = edge_rows(edges);
  const torch::Tensor from = sources_of(edges), to = targets_of(edges);
  const MessagePassing layer(kInputs, 2);
  const Tensors p = layer.parameters();  // received, and weight and bias of: from, edge, back, update
  const torch::Tensor result = layer.forward(rows, edges, about);
  for (std::int64_t node = 0; node < 7; ++node) {
    torch::Tensor sum = torch::zeros({kInputs});
    for (std::int64_t edge = 0; edge < edges.edges(); ++edge) {
      const auto source = from[edge].item<std::int64_t>(), target = to[edge].item<std::int64_t>();
      const torch::Tensor said = map(about[edge], p[3]) + p[4];
      if (target == node) sum = sum + torch::relu(map(rows[source], p[1]) + p[2] + said);
      if (source == node) sum = sum + torch::relu(map(rows[target], p[5]) + p[6] + said);
    }
    const torch::Tensor expected = rows[node] + torch::relu(map(rows[node], p[7]) + p[8] + map(sum, p[0]));
    EXPECT_TRUE(torch::allclose(result[node], expected));
  }
}

TEST_F(Layers, GraphAttentionIsWhatItSays) {
  Rng rng(7);
  const Adjacency edges = make_adjacency(7, random_edges(7, 15, rng));
  const torch::Tensor rows = torch::randn({7, kInputs}), about = edge_rows(edges);
  const torch::Tensor from = sources_of(edges), to = targets_of(edges);
  const GraphAttention layer(kInputs, kOutputs, 2);
  const Tensors p = layer.parameters();  // to, from, and weight and bias of: value, edge
  const torch::Tensor values = rows.matmul(p[2].t()) + p[3];
  const torch::Tensor result = layer.forward(rows, edges, about);
  for (std::int64_t node = 0; node < 7; ++node) {
    torch::Tensor sum = torch::zeros({kOutputs}), total = torch::zeros({});
    for (std::int64_t edge = 0; edge < edges.edges(); ++edge) {
      if (to[edge].item<std::int64_t>() != node) continue;
      const torch::Tensor value = values[from[edge].item<std::int64_t>()];
      const torch::Tensor score = values[node].dot(p[0]) + value.dot(p[1]) + (map(about[edge], p[4]) + p[5])[0];
      const torch::Tensor raised = torch::leaky_relu(score, 0.2).exp();
      sum = sum + raised * value;
      total = total + raised;
    }
    const bool has_edges = total.item<double>() > 0;
    EXPECT_TRUE(torch::allclose(result[node], has_edges ? sum / total : sum));
  }
}

TEST_F(Layers, SegmentAttentionSeesItsOwnSegmentAndTheOneBefore) {
  const SegmentAttention layer(4, 3);
  const torch::Tensor rows = torch::randn({8, 4});
  const Tensors p = layer.parameters();
  const torch::Tensor keys = rows.matmul(p[2].t()) + p[3], values = rows.matmul(p[4].t()) + p[5];
  const torch::Tensor result = layer.forward(rows);
  for (std::int64_t node = 0; node < 8; ++node) {
    const std::int64_t from = std::max<std::int64_t>(0, node / 3 * 3 - 3),
                       end = std::min<std::int64_t>(8, node / 3 * 3 + 3);
    const torch::Tensor query = map(rows[node], p[0]) + p[1];
    const torch::Tensor shares = torch::softmax(keys.slice(0, from, end).matmul(query) / 2, 0);
    EXPECT_TRUE(torch::allclose(result[node], rows[node] + shares.matmul(values.slice(0, from, end))));
  }
}

}  // namespace
}  // namespace hone::learn
