// What layers are made of against slow code that is obviously right, and gradients against differences.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/random.h"
#include "learn/train/combine.h"
#include "learn/train/gradient_test.h"
#include "learn/train/neighbours.h"
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

}  // namespace
}  // namespace hone::learn
