#include "graph/ops/one_node_test.h"

namespace hone {
namespace {

const Tensor kQuery = floats({1, 0}, {1, 1, 2});
const Tensor kKeys = floats({1, 0, 0, 1}, {1, 2, 2});
const Tensor kValues = floats({1, 2, 3, 4}, {1, 2, 2});

TEST(MultiHeadAttentionTest, WeighsValuesBySoftmaxOfScaledProducts) {
  const OneNode node = contrib("MultiHeadAttention", {whole("num_heads", 1)});
  expect_numbers(run_node(node, {kQuery, kKeys, kValues})[0], {1, 1, 2}, {1.660477, 2.660477});
}

TEST(MultiHeadAttentionTest, DoesNotLookAtPadding) {
  const OneNode node = contrib("MultiHeadAttention", {whole("num_heads", 1)});
  const Tensor mask = Tensor::of<std::int32_t>({1, 0}, {1, 2}), lengths = Tensor::of<std::int32_t>({1}, {1});
  expect_numbers(run_node(node, {kQuery, kKeys, kValues, {}, mask})[0], {1, 1, 2}, {1, 2});
  expect_numbers(run_node(node, {kQuery, kKeys, kValues, {}, lengths})[0], {1, 1, 2}, {1, 2});
}

TEST(MultiHeadAttentionTest, PutsPresentKeysBehindPastOnes) {
  const OneNode node = contrib("MultiHeadAttention", {whole("num_heads", 1)}, 3);
  const auto outputs = run_node(node, {kQuery,
                                       floats({0, 1}, {1, 1, 2}),
                                       floats({3, 4}, {1, 1, 2}),
                                       {},
                                       {},
                                       {},
                                       floats({1, 0}, {1, 1, 1, 2}),
                                       floats({1, 2}, {1, 1, 1, 2})});
  expect_numbers(outputs[0], {1, 1, 2}, {1.660477, 2.660477});
  expect_numbers(outputs[1], {1, 1, 2, 2}, {1, 0, 0, 1});
  expect_numbers(outputs[2], {1, 1, 2, 2}, {1, 2, 3, 4});
}

TEST(ContribAttentionTest, ProjectsThenAttendsToEarlierPlacesOnly) {
  const OneNode node = contrib("Attention", {whole("num_heads", 1), whole("unidirectional", 1)});
  // Query and key are zero, so every place takes the mean of the values up to it.
  const Tensor input = floats({2, 4}, {1, 2, 1}), weights = floats({0, 0, 1}, {1, 3}), bias = floats({0, 0, 1}, {3});
  expect_numbers(run_node(node, {input, weights, bias})[0], {1, 2, 1}, {3, 4});
}

TEST(GroupQueryAttentionTest, SharesKeyHeadsAndIsCausal) {
  const OneNode node = contrib("GroupQueryAttention", {whole("num_heads", 2), whole("kv_num_heads", 1)}, 3);
  const Tensor last = Tensor::of<std::int32_t>({1}, {1}), all = Tensor::scalar<std::int32_t>(2);
  const auto outputs = run_node(node, {Tensor::zeros(ElementType::float32, {1, 2, 4}),
                                       Tensor::zeros(ElementType::float32, {1, 2, 2}),
                                       kValues,
                                       {},
                                       {},
                                       last,
                                       all});
  expect_numbers(outputs[0], {1, 2, 4}, {1, 2, 1, 2, 2, 3, 2, 3});
  expect_numbers(outputs[2], {1, 1, 2, 2}, {1, 2, 3, 4});
}

TEST(GroupQueryAttentionTest, AppendsOneTokenToThePast) {
  const OneNode node = contrib("GroupQueryAttention", {whole("num_heads", 1), whole("kv_num_heads", 1)}, 3);
  const Tensor last = Tensor::of<std::int32_t>({1}, {1}), all = Tensor::scalar<std::int32_t>(2);
  const auto outputs = run_node(node, {kQuery, floats({0, 1}, {1, 1, 2}), floats({3, 4}, {1, 1, 2}),
                                       floats({1, 0}, {1, 1, 1, 2}), floats({1, 2}, {1, 1, 1, 2}), last, all});
  expect_numbers(outputs[0], {1, 1, 2}, {1.660477, 2.660477});
  expect_numbers(outputs[1], {1, 1, 2, 2}, {1, 0, 0, 1});
}

TEST(ContribRotaryEmbeddingTest, TurnsByTheAngleOfThePosition) {
  const Tensor cosines = floats({1, 0}, {2, 1}), sines = floats({0, 1}, {2, 1});
  const OneNode node = contrib("RotaryEmbedding", {whole("num_heads", 2)});
  const Tensor input = floats({1, 0, 2, 3, 1, 0, 2, 3}, {1, 2, 4});
  expect_numbers(run_node(node, {input, int64s({0}, {1}), cosines, sines})[0], {1, 2, 4}, {1, 0, 2, 3, 0, 1, -3, 2});
  expect_numbers(run_node(node, {input, int64s({1, 0}, {1, 2}), cosines, sines})[0], {1, 2, 4},
                 {0, 1, -3, 2, 1, 0, 2, 3});
  EXPECT_THROW(run_node(node, {input, int64s({5}, {1}), cosines, sines}), InputError);
}

}  // namespace
}  // namespace hone
