#include "learn/train/max_pooled_layer.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "learn/train/gradient_test.h"

namespace hone::learn {
namespace {

constexpr std::int64_t kNodes = 2500, kInputs = 70, kOutputs = 9;  // several chunks, and more than a panel

/// Some nodes have no edges; edges go in all directions.
Adjacency random_adjacency() {
  Rng rng(1);
  std::vector<std::pair<std::int32_t, std::int32_t>> edges;
  for (std::int64_t i = 0; i < 2 * kNodes; ++i)
    edges.emplace_back(static_cast<std::int32_t>(rng.below(kNodes)), static_cast<std::int32_t>(rng.below(kNodes)));
  return make_adjacency(kNodes, edges);
}

/// A layer's inputs, in double precision: rows first.
Tensors random_inputs() {
  torch::manual_seed(1);
  Tensors inputs;
  for (const std::vector<std::int64_t>& shape : std::vector<std::vector<std::int64_t>>{
           {kNodes, kInputs}, {kInputs, kInputs}, {kInputs}, {kOutputs, kInputs}, {kOutputs}, {kOutputs, kInputs}})
    inputs.push_back(torch::randn(shape, torch::kDouble).requires_grad_());
  return inputs;
}

torch::Tensor layer(const Tensors& inputs, const Adjacency& edges) {
  return max_pooled_layer(inputs[0], edges, {inputs[1], inputs[2], inputs[3], inputs[4], inputs[5]});
}

torch::Tensor step_by_step(const Tensors& inputs, const Adjacency& edges) {
  const torch::Tensor sent = torch::relu(inputs[0].matmul(inputs[1].t()) + inputs[2]);
  const torch::Tensor pooled = pool_neighbours(sent, edges, Pool::max);
  return torch::relu(inputs[0].matmul(inputs[3].t()) + inputs[4] + pooled.matmul(inputs[5].t()));
}

Tensors gradients(const torch::Tensor& result, const Tensors& inputs) {
  return torch::autograd::grad({result}, inputs, {torch::ones_like(result)});
}

TEST(MaxPooledLayer, IsWhatItsStepsAreWithTheSameGradient) {
  const Adjacency edges = random_adjacency();
  const Tensors inputs = random_inputs();
  const torch::Tensor own = layer(inputs, edges), expected = step_by_step(inputs, edges);
  ASSERT_TRUE(torch::allclose(own, expected));
  const Tensors own_gradients = gradients(own, inputs), expected_gradients = gradients(expected, inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    EXPECT_TRUE(torch::allclose(own_gradients[i], expected_gradients[i])) << "input " << i;
}

TEST(MaxPooledLayer, TakesRowsThatDoNotLieTogetherAndThoseThatNeedNoGradient) {
  const Adjacency edges = random_adjacency();
  Tensors inputs = random_inputs();
  const Tensors all = gradients(layer(inputs, edges), inputs);
  const torch::Tensor turned = inputs[0].detach().t().contiguous().requires_grad_();
  inputs[0] = turned.t();
  const torch::Tensor gradient = gradients(layer(inputs, edges), {turned})[0];
  EXPECT_TRUE(torch::equal(gradient, all[0].t()));
  inputs[0] = inputs[0].detach();
  const Tensors weights(inputs.begin() + 1, inputs.end());
  const Tensors without = gradients(layer(inputs, edges), weights);
  for (std::size_t i = 0; i < weights.size(); ++i) EXPECT_TRUE(torch::equal(without[i], all[i + 1]));
}

TEST(MaxPooledLayer, IsTheSameOnAnyNumberOfThreads) {
  const Adjacency edges = random_adjacency();
  const Tensors inputs = random_inputs();
  const int before = at::get_num_threads();
  std::vector<Tensors> found;
  for (const int threads : {1, 3}) {
    at::set_num_threads(threads);
    const torch::Tensor result = layer(inputs, edges);
    found.push_back(gradients(result, inputs));
    found.back().push_back(result);
  }
  at::set_num_threads(before);
  for (std::size_t i = 0; i < found[0].size(); ++i) EXPECT_TRUE(torch::equal(found[0][i], found[1][i]));
}

}  // namespace
}  // namespace hone::learn
