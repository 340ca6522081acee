#include "graph/ops/one_node_test.h"

namespace hone {
namespace {

Attributes heads(std::int64_t queries, std::int64_t keys) { return {{"q_num_heads", queries}, {"kv_num_heads", keys}}; }

TEST(AttentionTest, WeighsValuesBySoftmaxOfScores) {
  const float two = std::log(2.0f);
  const OneNode node = {"Attention", 23, {{"scale", 1.0f}}};
  const Tensor q = floats({1}, {1, 1, 1, 1}), k = floats({0, two}, {1, 1, 2, 1}), v = floats({3, 6}, {1, 1, 2, 1});
  expect_numbers(run_node(node, {q, k, v})[0], {1, 1, 1, 1}, {5});
}

TEST(AttentionTest, MasksByTruthByNumberAndByCause) {
  const Tensor q = floats({0, 0}, {1, 1, 2, 1}), v = floats({3, 6}, {1, 1, 2, 1});
  const Tensor truths = Tensor::of<bool>({false, true, true, true}, {2, 2});
  expect_numbers(run_node({"Attention", 23}, {q, q, v, truths})[0], {1, 1, 2, 1}, {6, 4.5});
  const Tensor numbers = floats({std::log(2.0f), 0}, {1, 2});
  expect_numbers(run_node({"Attention", 23}, {q, q, v, numbers})[0], {1, 1, 2, 1}, {4, 4});
  expect_numbers(run_node({"Attention", 23, {{"is_causal", std::int64_t{1}}}}, {q, q, v})[0], {1, 1, 2, 1}, {3, 4.5});
}

TEST(AttentionTest, SharesKeysBetweenGroupsOfHeadsInThreeDims) {
  // Four heads of queries, two of keys; all scores equal, so that each head is the mean of its values.
  const Tensor q = floats({0, 0, 0, 0}, {1, 1, 4}), k = floats({0, 0, 0, 0}, {1, 2, 2}),
               v = floats({1, 10, 3, 30}, {1, 2, 2});
  expect_numbers(run_node({"Attention", 23, heads(4, 2)}, {q, k, v})[0], {1, 1, 4}, {2, 2, 20, 20});
}

TEST(AttentionTest, GrowsThePastAndLetsItBeSeen) {
  const Tensor q = floats({0}, {1, 1, 1, 1}), k = floats({5}, {1, 1, 1, 1}), v = floats({6}, {1, 1, 1, 1});
  const Tensor past_k = floats({4}, {1, 1, 1, 1}), past_v = floats({2}, {1, 1, 1, 1});
  const OneNode node = {"Attention", 23, {{"is_causal", std::int64_t{1}}}, 4};
  const auto outputs = run_node(node, {q, k, v, kNone, past_k, past_v});
  expect_numbers(outputs[0], {1, 1, 1, 1}, {4});
  expect_numbers(outputs[1], {1, 1, 2, 1}, {4, 5});
  expect_numbers(outputs[2], {1, 1, 2, 1}, {2, 6});
  expect_numbers(outputs[3], {1, 1, 1, 2}, {0, 0});
}

TEST(AttentionTest, ShowsTheScoresAtTheStageAskedFor) {
  const Tensor q = floats({1}, {1, 1, 1, 1}), k = floats({1, 2}, {1, 1, 2, 1}), mask = floats({0, 1}, {1, 2});
  const auto scores = [&](std::int64_t mode) {
    const OneNode node = {"Attention", 23, {{"softcap", 2.0f}, {"qk_matmul_output_mode", mode}}, 4};
    return run_node(node, {q, k, k, mask})[3];
  };
  const double a = 2 * std::tanh(0.5), b = 2 * std::tanh(1.0);
  expect_numbers(scores(0), {1, 1, 1, 2}, {1, 2});
  expect_numbers(scores(1), {1, 1, 1, 2}, {a, b});
  expect_numbers(scores(2), {1, 1, 1, 2}, {a, b + 1});
  const double sum = std::exp(a) + std::exp(b + 1);
  expect_numbers(scores(3), {1, 1, 1, 2}, {std::exp(a) / sum, std::exp(b + 1) / sum});
}

TEST(AttentionTest, LeavesOutKeysThatArePadding) {
  const Tensor q = floats({0, 0}, {2, 1, 1, 1}), v = floats({3, 6, 3, 6}, {2, 1, 2, 1});
  const Tensor k = floats({0, 0, 0, 0}, {2, 1, 2, 1});
  expect_numbers(run_node({"Attention", 24}, {q, k, v, kNone, kNone, kNone, int64s({1, 2}, {2})})[0], {2, 1, 1, 1},
                 {3, 4.5});
  // A mask that stops early masks the rest.
  const Tensor mask = floats({0}, {1, 1});
  expect_numbers(run_node({"Attention", 24}, {q, k, v, mask})[0], {2, 1, 1, 1}, {3, 3});
}

TEST(AttentionTest, InfersSymbolicLengths) {
  const Dim batch = Dim::symbol("batch"), length = Dim::symbol("length");
  const Type x = float_type({batch, length, 64}), kv = float_type({batch, length, 16});
  EXPECT_EQ(inferred_type({"Attention", 23, heads(8, 2)}, {x, kv, kv}), "float[batch,length,64]");
}

TEST(RotaryEmbeddingTest, TurnsHalvesOrNeighbours) {
  const Tensor x = floats({1, 2, 3, 4}, {1, 1, 1, 4}), cosines = floats({0, 1}, {1, 2}), sines = floats({1, 0}, {1, 2});
  const Tensor positions = int64s({0}, {1, 1});
  expect_numbers(run_node({"RotaryEmbedding", 23}, {x, cosines, sines, positions})[0], {1, 1, 1, 4}, {-3, 2, 1, 4});
  const OneNode interleaved = {"RotaryEmbedding", 23, {{"interleaved", std::int64_t{1}}}};
  expect_numbers(run_node(interleaved, {x, cosines, sines, positions})[0], {1, 1, 1, 4}, {-2, 1, 3, 4});
}

TEST(RotaryEmbeddingTest, LeavesTheRestOfAHeadAlone) {
  const OneNode node = {
      "RotaryEmbedding", 23, {{"rotary_embedding_dim", std::int64_t{2}}, {"num_heads", std::int64_t{2}}}};
  const Tensor x = floats({1, 2, 3, 4, 5, 6}, {1, 1, 6}), cosines = floats({0}, {1, 1, 1}),
               sines = floats({1}, {1, 1, 1});
  expect_numbers(run_node(node, {x, cosines, sines})[0], {1, 1, 6}, {-2, 1, 3, -5, 4, 6});
  EXPECT_THROW(run_node(node, {x, floats({0}, {1, 1}), floats({1}, {1, 1}), int64s({1}, {1, 1})}), InputError);
}

}  // namespace
}  // namespace hone
